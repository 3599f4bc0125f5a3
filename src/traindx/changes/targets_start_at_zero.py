"""Class labels that start at 0, and answers of 0 and 1."""

from __future__ import annotations

from traindx.changes import cst, torch
from traindx.changes.live.program import Loss, Program
from traindx.changes.source.literal import exchanged
from traindx.changes.source.loss import loss_calls, loss_of
from traindx.changes.source.source import Source
from traindx.changes.types import Change, ChangeSpec, Edited, Refusal, RefusedError
from traindx.facts import LOSS_PLACE, LOWEST_LABEL, SCRIPT
from traindx.run import Run

_OF_CLASSES = ("cross_entropy", "nll_loss")
_OF_ANSWERS = ("binary_cross_entropy", "binary_cross_entropy_with_logits")
_IGNORED = -100
"""The label that losses of classes leave out unless told otherwise."""
_WRITTEN = {1: "{} - 1", -1: "({} + 1) / 2"}
"""The repair by the lowest label."""


def _torch(program: Program, change: ChangeSpec) -> None:
    """Subtract 1 from the labels of a loss, if all are 1 or more; make 0 and 1 of answers -1 and 1."""

    def classes(
        original: Loss, given: torch.Tensor, target: torch.Tensor, **settings: object
    ) -> torch.Tensor:
        if target.is_floating_point():
            program.refuse(change, "the targets are probabilities, not class labels")
            return original(given, target, **settings)
        is_ignored = target == settings.get("ignore_index", _IGNORED)
        if bool(((target < 1) & ~is_ignored).any()):
            program.refuse(change, "a label below 1 occurs")
            return original(given, target, **settings)
        program.applied(change, "1 is subtracted from the labels")
        return original(given, torch.where(is_ignored, target, target - 1), **settings)

    def answers(
        original: Loss, given: torch.Tensor, target: torch.Tensor, **settings: object
    ) -> torch.Tensor:
        if bool((target.abs() != 1).any()):
            program.refuse(change, "a target other than -1 and 1 occurs")
            return original(given, target, **settings)
        program.applied(change, "targets -1 and 1 are made 0 and 1")
        return original(given, (target + 1) / 2, **settings)

    program.replace_losses(_OF_CLASSES, classes, while_validating=True)
    program.replace_losses(_OF_ANSWERS, answers, while_validating=True)


def _edit(source: Source, _: ChangeSpec, run: Run) -> Edited:
    """Shift the labels in the call of the loss, if they are used nowhere else."""
    written = _WRITTEN.get(run.facts.get(LOWEST_LABEL))  # type: ignore[arg-type]  # any fact, or none
    if written is None:
        raise RefusedError("the labels were not seen to start at 1 or at -1")
    call = loss_of(source, run).used
    plain = [one for one in call.args if not one.keyword]
    others = [one for one in loss_calls(source) if one is not call]
    if others:
        raise RefusedError(f"another loss at {source.place(others[0])} uses labels as well")
    label = _variable(plain[1].value) if len(plain) > 1 else None
    if label is None:
        raise RefusedError(f"the labels are not in a variable at {source.place(call)}")
    uses = [one for one in source.all(cst.Name, source.scope(call)) if one.value == label.value]
    # Once where they come from, and once in the loss: an accuracy would compare with the old labels.
    if len(uses) > 2:
        places = ", ".join(source.place(one) for one in uses)
        raise RefusedError(f"{label.value} is used in several places ({places})")
    return exchanged(source, plain[1], written.format(source.code(plain[1].value)))


def _variable(value: cst.BaseExpression) -> cst.Name | None:
    """The variable that labels are in, or that a batch of them is taken from."""
    held = value.value if isinstance(value, cst.Subscript) else value
    return held if isinstance(held, cst.Name) else None


CHANGE = Change(
    name="targets.start_at_zero",
    label="labels from 0",
    says="shift labels that start at 1, or at -1, to where the loss expects them",
    torch=_torch,
    keras=Refusal("works on torch losses only; this is a Keras model"),
    edit=_edit,
    edited_file=(LOSS_PLACE, SCRIPT),
)
