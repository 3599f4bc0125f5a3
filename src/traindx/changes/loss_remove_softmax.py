"""Raw scores for a loss that squashes them itself."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING

from traindx.changes.source import cst
from traindx.changes.source.loss import last_activation, without_activation
from traindx.changes.source.source import Source
from traindx.changes.source.syntax import last_name, number_of
from traindx.changes.types import BY_ERRORS, Change, ChangeSpec, Edited, RefusedError
from traindx.facts import LOSS_FUNCTION, LOSS_PLACE, MODEL_PLACE, OUTPUT_ACTIVATION, SCRIPT
from traindx.run import Run

if TYPE_CHECKING:
    import keras
    from torch import Tensor

    from traindx.changes.live.keras_program import KerasLoss, KerasProgram
    from traindx.changes.live.program import Loss, Program

_SQUASHING = ("cross_entropy", "binary_cross_entropy_with_logits")
_HALF = 0.5


def _torch(program: Program, change: ChangeSpec) -> None:
    """Give the loss function what entered the softmax or sigmoid before it."""
    import torch
    from torch import Tensor
    from torch.nn import functional
    from torch.utils.weak import WeakIdKeyDictionary

    scores = WeakIdKeyDictionary()

    def remembered(original: Callable[..., Tensor]) -> Callable[..., Tensor]:
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


def _keras(program: KerasProgram, change: ChangeSpec) -> None:
    """Give a cross-entropy of scores what entered the softmax or sigmoid before it."""
    from torch import Tensor

    from traindx.changes.live.keras_program import CROSS_ENTROPIES, kind_of, takes_scores

    def unsquashed(original: KerasLoss) -> KerasLoss:
        def compute(loss: keras.losses.Loss, target: Tensor, given: Tensor, weights: Tensor | None) -> Tensor:
            # Keras notes down on what it squashed what that was.
            raw = vars(given).get("_keras_logits")
            if kind_of(loss) not in CROSS_ENTROPIES or not takes_scores(loss) or not isinstance(raw, Tensor):
                program.refuse(change, "no softmax or sigmoid stands before a loss that applies it itself")
                return original(loss, target, given, weights)
            program.applied(change, "the loss gets the scores before the softmax or sigmoid")
            return original(loss, target, raw, weights)

        return compute

    program.replace_losses(unsquashed)


def _edit(source: Source, _: ChangeSpec, run: Run) -> Edited:
    """Take the softmax or sigmoid away that stands before a loss that applies it itself."""
    loss = run.facts.get(LOSS_FUNCTION)
    if loss is not None and loss not in _SQUASHING:
        raise RefusedError(f"{loss} does not squash its input itself")
    last = last_activation(source, run, ("softmax", "sigmoid"))
    halved = next((node for node in source.nodes(source.module) if _is_halving(node)), None)
    if halved is not None and "sigmoid" in (last.kind, run.facts.get(OUTPUT_ACTIVATION)):
        raise RefusedError(
            f"{source.place(halved)} compares the output with 0.5, which must become 0 for raw scores"
        )
    return without_activation(source, last)


def _is_halving(node: cst.CSTNode) -> bool:
    """Whether numbers are told apart at one half: x > 0.5, x.round()."""
    if isinstance(node, cst.ComparisonTarget):
        is_order = isinstance(
            node.operator, cst.LessThan | cst.LessThanEqual | cst.GreaterThan | cst.GreaterThanEqual
        )
        return is_order and number_of(node.comparator) == _HALF
    return (
        isinstance(node, cst.Call)
        and isinstance(node.func, cst.Attribute)
        and last_name(node.func) == "round"
    )


CHANGE = Change(
    name="loss.remove_softmax",
    forms=("loss.remove_softmax",),
    says="give the loss raw scores where a softmax or sigmoid stands before one that applies it itself",
    torch=_torch,
    keras=_keras,
    edit=_edit,
    touches="loss",
    edited_file=(MODEL_PLACE, LOSS_PLACE, SCRIPT),
    compared_by=BY_ERRORS,
)
