"""Raw scores for a loss that squashes them itself."""

from collections.abc import Callable
from functools import wraps

import torch
from torch import Tensor
from torch.nn import functional
from torch.utils.weak import WeakIdKeyDictionary

from traindx.changes.live.operation import Operation
from traindx.changes.live.program import Loss, Program
from traindx.changes.types import ChangeSpec


def begin(program: Program, change: ChangeSpec) -> None:
    """Give the loss function what entered the softmax or sigmoid before it."""
    scores = WeakIdKeyDictionary()

    def remembered(original: "Callable[..., Tensor]") -> "Callable[..., Tensor]":
        @wraps(original)
        def squash(value: Tensor, *args: object, **kwargs: object) -> Tensor:
            squashed = original(value, *args, **kwargs)
            if isinstance(squashed, Tensor) and squashed.requires_grad:
                scores[squashed] = value
            return squashed

        return squash

    def unsquashed(original: Loss) -> Loss:
        def loss(given: Tensor, target: Tensor, **settings: object) -> Tensor:
            raw = scores.get(given)
            if raw is None and _is_reshaped(given):
                # squeeze(1), view(-1) and the like stand between the two.
                raw = scores.get(given._base)
                raw = None if raw is None else raw.reshape(given.shape)
            if raw is None:
                return original(given, target, **settings)
            program.applied(change, "the loss gets the scores before the softmax or sigmoid")
            return original(raw, target, **settings)

        return loss

    for name in ("softmax", "sigmoid"):
        program.patches.replace(torch, name, remembered)
        program.patches.replace(functional, name, remembered)
        program.patches.shadow(Tensor, name, remembered)
    program.replace_losses(("cross_entropy", "binary_cross_entropy_with_logits"), unsquashed)


def _is_reshaped(given: Tensor) -> bool:
    """Whether a tensor is all of another one in the same order."""
    base = given._base
    return (
        base is not None and base.numel() == given.numel() and base.is_contiguous() and given.is_contiguous()
    )


OPERATION = Operation(
    name="loss.remove_softmax",
    forms=("loss.remove_softmax",),
    says="give the loss raw scores where a softmax or sigmoid stands before one that applies it itself",
    begin=begin,
    alters_loss=True,
)
