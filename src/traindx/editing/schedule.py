"""A schedule put beside an optimizer that has none."""

import libcst as cst

from traindx.editing.calls import calls_of
from traindx.editing.edit import Edited, New, RefusedError
from traindx.editing.imports import imported
from traindx.editing.loop import is_visible, steps_of
from traindx.editing.optimizer import optimizer_call, target_of
from traindx.editing.source import Source
from traindx.editing.statements import after
from traindx.facts import PLANNED_STEPS, SCHEDULE, SCHEDULE_PLACE
from traindx.quantities import TRAIN_LOSS
from traindx.run import Run


def number_of_steps(run: Run) -> int | None:
    """How many optimizer steps the run takes."""
    planned = run.facts.get(PLANNED_STEPS)
    if isinstance(planned, int | float) and planned > 0:
        return int(planned)
    recorded = [one.steps for one in run.all(TRAIN_LOSS) if len(one.steps)]
    # Steps are counted from 0 or from 1.
    return max((int(one[-1]) + (one[0] == 0) for one in recorded), default=None)


def scheduled(source: Source, run: Run, name: str, kind: str, arguments: str) -> Edited:
    """A schedule made behind the optimizer and stepped behind its step."""
    if SCHEDULE in run.facts or SCHEDULE_PLACE in run.facts:
        raise RefusedError(f"{run.facts.get(SCHEDULE, 'a schedule')} is there already; two would multiply")
    if any("lr_scheduler" in source.code(one.func) for one in source.all(cst.Call)):
        raise RefusedError(f"{source.shown} makes a schedule already")
    call = optimizer_call(source, run)
    optimizer = target_of(source, call)
    steps = steps_of(source, run)
    if not optimizer:
        raise RefusedError(f"the optimizer at {source.place(call)} is not kept under a name")
    schedule = f"self.{name}" if optimizer.startswith("self.") else name
    if is_visible(source, name, source.module) or calls_of(source, {name}):
        raise RefusedError(f"{source.shown} uses the name {name} for something else")
    reached = all(_reaches(source, call, step.call, optimizer, step.optimizer) for step in steps)
    if not reached:
        raise RefusedError(f"the optimizer is made at {source.place(call)} and steps in another function")
    made = f"{schedule} = {imported(source, f'torch.optim.lr_scheduler.{kind}')}({optimizer}, {arguments})"
    parts: dict[cst.CSTNode, New] = after(source, call, made)
    for step in steps:
        parts |= after(source, step.call, f"{schedule}.step()")
    return Edited(
        parts, f"{made} behind {source.place(call)}, {schedule}.step() behind {source.place(steps[0].call)}"
    )


def _reaches(source: Source, call: cst.Call, step: cst.Call, made: str, used: str) -> bool:
    """Whether what is made beside the optimizer can be read where it steps."""
    same = source.scope(call) is source.scope(step)
    of_object = (
        made.startswith("self.") and made == used and source.class_around(call) is source.class_around(step)
    )
    return same or of_object or (source.scope(call) is source.module and made == used)
