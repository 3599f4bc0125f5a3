"""Raw scores for a loss that squashes them itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from traindx.changes import cst, torch
from traindx.changes.live.keras_program import (
    CROSS_ENTROPIES,
    KerasCall,
    KerasLoss,
    KerasProgram,
    kind_of,
    takes_scores,
)
from traindx.changes.live.program import Loss, Program
from traindx.changes.source.loss import last_activation, without_activation
from traindx.changes.source.source import Source
from traindx.changes.source.syntax import last_name, number_of
from traindx.changes.types import BY_ERRORS, Change, ChangeSpec, Edited, RefusedError
from traindx.facts import LOSS_FUNCTION, LOSS_PLACE, MODEL_PLACE, OUTPUT_ACTIVATION, SCRIPT
from traindx.run import Run

_SQUASHING = ("cross_entropy", "binary_cross_entropy_with_logits")
_HALF = 0.5
_SAYS = "the loss gets the logits before the softmax or sigmoid"


def _torch(program: Program, change: ChangeSpec) -> None:
    """Give the loss function what entered the softmax or sigmoid before it."""
    scores = torch.utils.weak.WeakIdKeyDictionary()

    def squash(
        original: Callable[..., torch.Tensor], value: torch.Tensor, *args: object, **kwargs: object
    ) -> torch.Tensor:
        squashed = original(value, *args, **kwargs)
        if isinstance(squashed, torch.Tensor) and squashed.requires_grad:
            scores[squashed] = value
        return squashed

    def loss(original: Loss, given: torch.Tensor, target: torch.Tensor, **settings: object) -> torch.Tensor:
        raw = scores.get(given)
        if raw is None and _is_reshaped(given):
            # squeeze(1), view(-1) and the like stand between the two.
            raw = scores.get(given._base)
            raw = None if raw is None else raw.reshape(given.shape)
        if raw is None:
            return original(given, target, **settings)
        program.applied(change, _SAYS)
        return original(raw, target, **settings)

    for name in ("softmax", "sigmoid"):
        program.wrap_function(name, squash)
    program.replace_losses(_SQUASHING, loss)


def _is_reshaped(given: torch.Tensor) -> bool:
    """Whether a tensor is all of another one in the same order."""
    base = given._base
    return (
        base is not None and base.numel() == given.numel() and base.is_contiguous() and given.is_contiguous()
    )


def _keras(program: KerasProgram, change: ChangeSpec) -> None:
    """Give a cross-entropy of scores what entered the softmax or sigmoid before it."""

    def compute(original: KerasLoss, call: KerasCall) -> torch.Tensor:
        # Keras notes down on what it squashed what that was.
        raw = vars(call.given).get("_keras_logits")
        squashes = kind_of(call.loss) in CROSS_ENTROPIES and takes_scores(call.loss)
        if not squashes or not isinstance(raw, torch.Tensor):
            program.refuse(change, "no softmax or sigmoid before a loss on logits")
            return original(call)
        program.applied(change, _SAYS)
        return original(replace(call, given=raw))

    program.replace_losses(compute)


def _edit(source: Source, _: ChangeSpec, run: Run) -> Edited:
    """Take the softmax or sigmoid away that stands before a loss that applies it itself."""
    loss = run.facts.get(LOSS_FUNCTION)
    if loss is not None and loss not in _SQUASHING:
        raise RefusedError(f"{loss} does not apply softmax or sigmoid itself")
    last = last_activation(source, run, ("softmax", "sigmoid"))
    halved = next((node for node in source.nodes(source.module) if _is_halving(node)), None)
    if halved is not None and "sigmoid" in (last.kind, run.facts.get(OUTPUT_ACTIVATION)):
        raise RefusedError(
            f"the output is compared with 0.5, which must be 0 for logits, {source.place(halved)}"
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
    label="remove softmax",
    says="pass logits to a loss that applies softmax or sigmoid itself",
    torch=_torch,
    keras=_keras,
    edit=_edit,
    edited_file=(MODEL_PLACE, LOSS_PLACE, SCRIPT),
    compared_by=BY_ERRORS,
)
