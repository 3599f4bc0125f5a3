"""A schedule put beside an optimizer."""

from __future__ import annotations

from dataclasses import dataclass

from traindx.changes import cst
from traindx.changes.source.loop import is_visible, steps_of
from traindx.changes.source.optimizer import optimizer_call, target_of
from traindx.changes.source.source import Source, after, removed
from traindx.changes.source.syntax import calls_at, calls_of, imported, last_name, names_in
from traindx.changes.types import Edited, New, RefusedError
from traindx.facts import PLANNED_STEPS, SCHEDULE, SCHEDULE_PLACE
from traindx.quantities import TRAIN_LOSS
from traindx.run import Run


@dataclass(frozen=True)
class Gathered:
    """Losses that are put together before a schedule is told of them."""

    name: str
    """The list they are kept in."""
    loss: str
    """As it is spelled where the optimizer steps."""
    width: int
    """So many steps at a time."""

    def stepped(self, schedule: str, kept: str) -> list[str]:
        """What is written behind each step of the optimizer."""
        sentence = f"    {schedule}.step(sum({kept}) / len({kept}))\n    {kept}.clear()\n"
        return [f"{kept}.append({self.loss}.item())", f"if len({kept}) == {self.width}:\n{sentence}"]


def number_of_steps(run: Run) -> int | None:
    """How many optimizer steps the run takes."""
    planned = run.facts.get(PLANNED_STEPS)
    if isinstance(planned, int | float) and planned > 0:
        return int(planned)
    recorded = [series.steps for series in run.all(TRAIN_LOSS) if len(series.steps)]
    # Steps are counted from 0 or from 1.
    return max((int(steps[-1]) + (steps[0] == 0) for steps in recorded), default=None)


def scheduled(
    source: Source,
    run: Run,
    name: str,
    kind: str,
    arguments: str,
    *,
    gathers: Gathered | None = None,
    replaces: bool = False,
) -> Edited:
    """A schedule made behind the optimizer and stepped behind its step, also instead of another."""
    parts: dict[cst.CSTNode, New] = (
        _without_present(source, run) if replaces else _refuse_present(source, run)
    )
    call = optimizer_call(source, run)
    optimizer = target_of(source, call)
    steps = steps_of(source, run)
    if not optimizer:
        raise RefusedError(f"the optimizer is not in a variable at {source.place(call)}")
    owner = "self." if optimizer.startswith("self.") else ""
    schedule = f"{owner}{name}"
    for word in (name, gathers.name) if gathers is not None else (name,):
        if _is_taken(source, word) or calls_of(source, {word}):
            raise RefusedError(f"the name {word} is already used in {source.shown}")
    reached = all(_reaches(source, call, step.call, optimizer, step.optimizer) for step in steps)
    if not reached:
        raise RefusedError(f"the optimizer of {source.place(call)} steps in another function")
    made = f"{schedule} = {imported(source, f'torch.optim.lr_scheduler.{kind}')}({optimizer}, {arguments})"
    beside = [] if gathers is None else [f"{owner}{gathers.name} = []"]
    parts = _merged(parts, after(source, call, made, *beside))
    for step in steps:
        texts = [f"{schedule}.step()"]
        if gathers is not None:
            texts = gathers.stepped(schedule, f"{owner}{gathers.name}")
        parts = _merged(parts, after(source, step.call, *texts))
    return Edited(
        parts, f"{made} after {source.place(call)}, {schedule}.step() after {source.place(steps[0].call)}"
    )


def _merged(parts: dict[cst.CSTNode, New], more: dict[cst.CSTNode, New]) -> dict[cst.CSTNode, New]:
    for node in more:
        if node in parts:
            raise AssertionError("an optimizer step and a scheduler step are the same node")
    return {**parts, **more}


def _refuse_present(source: Source, run: Run) -> dict[cst.CSTNode, New]:
    if SCHEDULE in run.facts or SCHEDULE_PLACE in run.facts:
        raise RefusedError(
            f"the run already has {run.facts.get(SCHEDULE, 'a schedule')}; two schedules would multiply"
        )
    if _schedules(source):
        raise RefusedError(f"{source.shown} already creates a scheduler")
    return {}


def _schedules(source: Source) -> list[cst.Call]:
    """Calls that make a schedule, by the module or by the name it is imported under."""
    calls = [call for call in source.all(cst.Call) if "lr_scheduler" in names_in(source, call.func)]
    names = [
        source.code(alias.asname.name if alias.asname else alias.name)
        for statement in source.all(cst.ImportFrom)
        if statement.module is not None and source.code(statement.module).endswith("lr_scheduler")
        if not isinstance(statement.names, cst.ImportStar)
        for alias in statement.names
    ]
    return [*calls, *calls_of(source, names)]


def _without_present(source: Source, run: Run) -> dict[cst.CSTNode, New]:
    """The source without the one schedule that is there, if it has no other use."""
    schedules = _schedules(source)
    if not schedules:
        return _refuse_present(source, run)
    name = target_of(source, schedules[0])
    if len(schedules) > 1 or not name:
        raise RefusedError(f"several schedulers or an unnamed one in {source.shown}, ambiguous")
    uses = [attribute for attribute in source.all(cst.Attribute) if source.code(attribute.value) == name]
    steps = [call for call in source.all(cst.Call) if source.code(call.func) == f"{name}.step"]
    alone = [step for step in steps if isinstance(source.parent(step), cst.Expr)]
    if len(uses) != len(alone) or len(steps) != len(alone) or not steps:
        raise RefusedError(f"{name} is used for more than step(), {source.place(schedules[0])}")
    parts = removed(source, schedules[0])
    for call in alone:
        parts |= removed(source, call)
    return parts


def steps_of_schedule(source: Source, run: Run) -> list[cst.Call]:
    """Every step of the one schedule that the run made; refused where there is none."""
    names = {target_of(source, call) for call in calls_at(source, source.line_of(run, SCHEDULE_PLACE))} - {""}
    if len(names) != 1:
        raise RefusedError(f"no single scheduler found in {source.shown}")
    name = next(iter(names))
    steps = [call for call in source.all(cst.Call) if _is_step(source, call, name)]
    if not steps:
        raise RefusedError(f"{name}.step() is not called in {source.shown}")
    return steps


def _is_step(source: Source, call: cst.Call, name: str) -> bool:
    func = call.func
    alone = isinstance(source.parent(call), cst.Expr)
    return (
        alone
        and isinstance(func, cst.Attribute)
        and last_name(func) == "step"
        and source.code(func.value) == name
    )


def _is_taken(source: Source, name: str) -> bool:
    """Whether a name is used for something else than the schedule that is replaced."""
    present = {target_of(source, other) for other in _schedules(source)}
    return name not in present and is_visible(source, name, source.module)


def _reaches(source: Source, call: cst.Call, step: cst.Call, made: str, used: str) -> bool:
    """Whether what is made beside the optimizer can be read where it steps."""
    same = source.scope(call) is source.scope(step)
    of_object = (
        made.startswith("self.") and made == used and source.class_around(call) is source.class_around(step)
    )
    return same or of_object or (source.scope(call) is source.module and made == used)
