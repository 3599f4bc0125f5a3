"""A rate without its schedule."""

from __future__ import annotations

from traindx.changes import cst
from traindx.changes.live.keras_program import KerasProgram
from traindx.changes.live.program import Program, StepRate
from traindx.changes.source.optimizer import trainer_call
from traindx.changes.source.schedule import steps_of_schedule
from traindx.changes.source.source import Source, removed
from traindx.changes.source.syntax import argument, with_value
from traindx.changes.types import Change, ChangeSpec, Edited, New
from traindx.facts import OPTIMIZER_PLACE, SCHEDULE_PLACE, SCRIPT
from traindx.run import Run


def _live(program: Program | KerasProgram, change: ChangeSpec) -> None:
    """Take each step at the learning rate the optimizer was made with."""

    def factor(rate: StepRate) -> float:
        if rate.now and rate.now != rate.first:
            program.applied(change, f"the learning rate stays at {rate.first:g} (schedule: {rate.now:g})")
        return rate.without_schedule

    program.multiply_rates(factor)


def _edit(source: Source, _: ChangeSpec, run: Run) -> Edited:
    """Take the steps of the schedule out."""
    arguments = trainer_call(source)
    kind = argument(arguments, ("lr_scheduler_type",)) if arguments is not None else None
    if kind is not None:
        says = f'lr_scheduler_type={source.code(kind.value)} -> "constant" at {source.place(kind)}'
        return Edited({kind: with_value(kind, '"constant"')}, says)
    steps = steps_of_schedule(source, run)
    parts: dict[cst.CSTNode, New] = {}
    for one in steps:
        parts |= removed(source, one)
    return Edited(
        parts, f"{source.code(steps[0])} removed at {', '.join(source.place(one) for one in steps)}"
    )


CHANGE = Change(
    name="schedule.constant",
    label="constant lr",
    says="keep the initial learning rate, without the program's schedule",
    torch=_live,
    keras=_live,
    edit=_edit,
    edited_file=(SCHEDULE_PLACE, OPTIMIZER_PLACE, SCRIPT),
)
