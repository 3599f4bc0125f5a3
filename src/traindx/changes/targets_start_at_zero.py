"""Class labels that start at 0."""

from __future__ import annotations

from traindx.changes import cst, torch
from traindx.changes.live.program import Loss, Program
from traindx.changes.source.literal import exchanged
from traindx.changes.source.loss import loss_calls, loss_of
from traindx.changes.source.source import Source
from traindx.changes.types import Change, ChangeSpec, Edited, Refusal, RefusedError
from traindx.facts import LABELS_START_AT_ONE, LOSS_PLACE, SCRIPT
from traindx.run import Run

_LOSSES = ("cross_entropy", "nll_loss")
_IGNORED = -100
"""The label that these losses leave out unless told otherwise."""


def _torch(program: Program, change: ChangeSpec) -> None:
    """Subtract 1 from the labels of a loss, if all are 1 or more."""

    def loss(original: Loss, given: torch.Tensor, target: torch.Tensor, **settings: object) -> torch.Tensor:
        if target.is_floating_point():
            program.refuse(change, "the targets are probabilities, not class labels")
            return original(given, target, **settings)
        is_ignored = target == settings.get("ignore_index", _IGNORED)
        if bool(((target < 1) & ~is_ignored).any()):
            program.refuse(change, "a label below 1 occurs")
            return original(given, target, **settings)
        program.applied(change, "1 is subtracted from the labels")
        return original(given, torch.where(is_ignored, target, target - 1), **settings)

    program.replace_losses(_LOSSES, loss, while_validating=True)


def _edit(source: Source, _: ChangeSpec, run: Run) -> Edited:
    """Subtract 1 in the call of the loss, if the labels are used nowhere else."""
    if run.facts.get(LABELS_START_AT_ONE) is not True:
        raise RefusedError("the labels were not seen to start at 1")
    call = loss_of(source, run).used
    plain = [one for one in call.args if not one.keyword]
    others = [one for one in loss_calls(source) if one is not call]
    if others:
        raise RefusedError(f"another loss at {source.place(others[0])} uses labels as well")
    if len(plain) < 2 or not isinstance(plain[1].value, cst.Name):
        raise RefusedError(f"the labels are not in a variable at {source.place(call)}")
    label = plain[1].value
    uses = [one for one in source.all(cst.Name, source.scope(call)) if one.value == label.value]
    # Once where they come from, and once in the loss: an accuracy would compare with the old labels.
    if len(uses) > 2:
        places = ", ".join(source.place(one) for one in uses)
        raise RefusedError(f"{label.value} is used in several places ({places})")
    return exchanged(source, plain[1], f"{label.value} - 1")


CHANGE = Change(
    name="targets.start_at_zero",
    label="labels from 0",
    says="subtract 1 from class labels that start at 1",
    torch=_torch,
    keras=Refusal("works on torch losses only; this is a Keras model"),
    edit=_edit,
    edited_file=(LOSS_PLACE, SCRIPT),
)
