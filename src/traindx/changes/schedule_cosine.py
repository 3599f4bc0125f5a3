"""A rate that falls along a cosine."""

from __future__ import annotations

import math

from traindx.changes.live.keras_program import KerasProgram
from traindx.changes.live.program import Program, StepRate
from traindx.changes.source.optimizer import trainer_call
from traindx.changes.source.schedule import number_of_steps, scheduled
from traindx.changes.source.source import Source
from traindx.changes.source.syntax import argument, expression, with_argument
from traindx.changes.types import Change, ChangeSpec, Edited, RefusedError
from traindx.facts import OPTIMIZER_PLACE, SCRIPT
from traindx.run import Run

_LEAST = 0.01


def _live(program: Program | KerasProgram, change: ChangeSpec) -> None:
    """Let the learning rate fall to 1% by the end of the run, instead of any schedule of the program."""
    length = program.steps
    if not length:
        program.refuse(change, "the number of steps is unknown; set it with --steps")
        return

    def factor(rate: StepRate) -> float:
        program.applied(change, f"cosine decay of the learning rate over {length} steps")
        falling = 0.5 * (1 + math.cos(math.pi * min(1.0, rate.taken / length)))
        return max(_LEAST, falling) * rate.without_schedule

    program.multiply_rates(factor)


def _edit(source: Source, _: ChangeSpec, run: Run) -> Edited:
    """Let the learning rate fall until the end of the run, instead of any other schedule."""
    arguments = trainer_call(source)
    if arguments is not None:
        kind = argument(arguments, ("lr_scheduler_type",))
        says = f'lr_scheduler_type="cosine" at {source.place(kind or arguments)}'
        if kind is not None:
            return Edited({kind: kind.with_changes(value=expression('"cosine"'))}, says)
        return Edited({arguments: with_argument(arguments, "lr_scheduler_type", '"cosine"')}, says)
    steps = number_of_steps(run)
    if steps is None:
        raise RefusedError("the number of steps of the run is unknown")
    return scheduled(source, run, "scheduler", "CosineAnnealingLR", f"T_max={steps}", replaces=True)


CHANGE = Change(
    name="schedule.cosine",
    label="cosine lr schedule",
    says="cosine decay of the learning rate to the end of the run, instead of any other schedule",
    torch=_live,
    keras=_live,
    edit=_edit,
    edited_file=(OPTIMIZER_PLACE, SCRIPT),
)
