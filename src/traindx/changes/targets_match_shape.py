"""Targets in the shape of the predictions."""

from collections.abc import Callable
from functools import wraps

import torch
from torch import Tensor

from traindx.changes.live.operation import Operation
from traindx.changes.live.program import Loss, Program
from traindx.changes.types import ChangeSpec

_LOSSES = ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss")
_BY_HAND = ("__sub__", "sub", "__mul__", "mul")
"""How predictions and targets meet in a loss that is written out."""


def begin(program: Program, change: ChangeSpec) -> None:
    """Give targets the shape of predictions where both hold as many numbers."""
    matching = _Matching(program, change)
    # In validation as well: a loss that compares all with all says nothing there either.
    program.replace_losses(_LOSSES, matching.of_loss, while_validating=True)
    for name in _BY_HAND:
        program.patches.shadow(Tensor, name, matching.of_operator)


class _Matching:
    """What predictions are compared with, by functions and by hand."""

    def __init__(self, program: Program, change: ChangeSpec) -> None:
        self._program, self._change = program, change
        self._was_needed = False
        """Whether targets had another shape in training: without gradients nothing else tells them."""

    def of_loss(self, original: Loss) -> Loss:
        def loss(given: Tensor, target: Tensor, **settings: object) -> Tensor:
            if given.shape != target.shape and given.numel() == target.numel():
                target = self._matched(target, given)
            return original(given, target, **settings)

        return loss

    def of_operator(self, original: "Callable[..., Tensor]") -> "Callable[..., Tensor]":
        @wraps(original)
        def operator(one: Tensor, other: object, *args: object, **kwargs: object) -> Tensor:
            if isinstance(other, Tensor) and _repeat_each_other(one, other):
                if one.requires_grad and not other.requires_grad:
                    other = self._matched(other, one)
                elif other.requires_grad and not one.requires_grad:
                    one = self._matched(one, other)
                elif self._was_needed and not torch.is_grad_enabled():
                    other = self._matched(other, one)
            return original(one, other, *args, **kwargs)

        return operator

    def _matched(self, target: Tensor, given: Tensor) -> Tensor:
        self._was_needed = True
        says = f"targets of shape {tuple(target.shape)} get the shape {tuple(given.shape)}"
        self._program.applied(self._change, says)
        return target.reshape(given.shape)


def _repeat_each_other(one: Tensor, other: Tensor) -> bool:
    """Whether (N, 1) meets (N,), which makes (N, N) of them."""
    if one.dim() + other.dim() != 3 or one.numel() != other.numel() or one.numel() < 2:
        return False
    shape = tuple(one.shape if one.dim() == 2 else other.shape)
    return len(shape) == 2 and shape[1] == 1


OPERATION = Operation(
    name="targets.match_shape",
    forms=("targets.match_shape",),
    says="give targets the shape of predictions where both hold as many numbers",
    begin=begin,
    alters_loss=True,
)
