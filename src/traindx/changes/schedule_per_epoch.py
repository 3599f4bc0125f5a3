"""A schedule that counts epochs and is stepped with every batch, stepped with every epoch."""

from __future__ import annotations

from traindx.changes import cst
from traindx.changes.live.keras_program import KerasProgram
from traindx.changes.live.program import Program, StepRate
from traindx.changes.source.loop import is_repeated, loop_around, steps_of
from traindx.changes.source.schedule import steps_of_schedule
from traindx.changes.source.source import Source, after, removed
from traindx.changes.types import Change, ChangeSpec, Edited, New, RefusedError
from traindx.curves.facts import batches_per_epoch
from traindx.facts import OPTIMIZER_PLACE, SCHEDULE_PLACE, SCRIPT
from traindx.run import Run


def _live(program: Program | KerasProgram, change: ChangeSpec) -> None:
    """Take all steps of an epoch at one learning rate of the schedule, the first epoch at its first."""
    length = max(1, round(change.number))
    seen: dict[float, list[float]] = {}

    def factor(rate: StepRate) -> float:
        rates = seen.setdefault(rate.first, [])
        if rate.taken == len(rates):
            rates.append(rate.now)
        program.applied(change, f"the schedule advances once per {length} steps")
        wanted = rates[min(rate.taken // length, len(rates) - 1)]
        return wanted / rate.now if rate.now else 1.0

    program.multiply_rates(factor)


def _edit(source: Source, _: ChangeSpec, run: Run) -> Edited:
    """Move the step of the schedule behind the loop over the batches."""
    steps = steps_of_schedule(source, run)
    loop = loop_around(source, steps[0])
    if len(steps) > 1 or loop is None or not is_repeated(source, loop):
        raise RefusedError(f"no single scheduler step in a loop within a loop found in {source.shown}")
    if loop not in [loop_around(source, one.call) for one in steps_of(source, run)]:
        raise RefusedError(f"the schedule and the optimizer do not step in the same loop in {source.shown}")
    code, line = source.code(steps[0]), source.parent(steps[0])
    if steps[0].args or not _is_alone_in(source, loop, line):
        raise RefusedError(f"{code} is conditional or needs a value at {source.place(steps[0])}")
    parts: dict[cst.CSTNode, New] = {**removed(source, steps[0]), **after(source, loop, code)}
    return Edited(parts, f"{code} moved out of the loop over the batches at {source.place(steps[0])}")


def _is_alone_in(source: Source, loop: cst.For | cst.While, statement: cst.CSTNode | None) -> bool:
    """Whether a statement is one of a loop itself, under no condition, and not the only one."""
    line = source.parent(statement) if statement is not None else None
    return line is not None and source.parent(line) is loop.body and len(loop.body.body) > 1


def _from_run(_: ChangeSpec, run: Run) -> ChangeSpec | None:
    length = batches_per_epoch(run)
    return None if length is None else ChangeSpec("schedule.per_epoch", (str(round(length)),))


CHANGE = Change(
    name="schedule.per_epoch",
    label="scheduler step per epoch",
    forms=("schedule.per_epoch 45",),
    says="advance the program's schedule once per N steps, the batches of an epoch",
    torch=_live,
    keras=_live,
    edit=_edit,
    from_run=_from_run,
    also="schedule.each_epoch",
    edited_file=(SCHEDULE_PLACE, OPTIMIZER_PLACE, SCRIPT),
)
