"""A warm-up of the learning rate."""

from __future__ import annotations

from traindx.changes.live.keras_program import KerasProgram
from traindx.changes.live.program import Program, StepRate
from traindx.changes.source.literal import added, scaled
from traindx.changes.source.optimizer import trainer_call
from traindx.changes.source.option import Option
from traindx.changes.source.schedule import number_of_steps, scheduled
from traindx.changes.source.source import Source
from traindx.changes.source.syntax import argument, text_of
from traindx.changes.types import Change, ChangeSpec, Edited, RefusedError
from traindx.facts import OPTIMIZER_PLACE, SCRIPT, WARMUP_STEPS
from traindx.run import Run

_MOST = 0.3
"""Of the run: a warm-up that never ends is another learning rate."""


def _length_of(change: ChangeSpec, steps: int | None) -> int:
    """How many steps the learning rate rises for, in a run of so many where that is known."""
    wanted = max(1, round(change.number))
    return min(wanted, max(1, int(_MOST * steps))) if steps else wanted


def _live(program: Program | KerasProgram, change: ChangeSpec) -> None:
    """Let the learning rate rise in a line over so many steps, in place of a warm-up that the program has."""
    length = _length_of(change, program.steps)
    highest: dict[float, float] = {}

    def factor(rate: StepRate) -> float:
        program.applied(change, f"learning rate warm-up over the first {length} steps")
        # A schedule that has only risen so far and is below its first value is a warm-up.
        reached = highest.get(rate.first, rate.first)
        is_warming_up = reached <= rate.now < rate.first
        highest[rate.first] = rate.now if rate.taken == 0 else max(reached, rate.now)
        own = rate.without_schedule if is_warming_up else 1.0
        return own * min(1.0, (rate.taken + 1) / length)

    program.multiply_rates(factor)


def _edit(source: Source, change: ChangeSpec, run: Run) -> Edited:
    """Let the learning rate rise over the first steps, where no schedule is there yet."""
    steps = _length_of(change, number_of_steps(run))
    arguments = trainer_call(source)
    if arguments is None:
        return scheduled(source, run, "warmup", "LambdaLR", f"lambda step: min(1.0, (step + 1) / {steps})")
    kind = argument(arguments, ("lr_scheduler_type",))
    if kind is not None and text_of(kind.value) == "constant":
        raise RefusedError(f"the constant schedule has no warm-up, {source.place(kind)}")
    given = argument(arguments, ("warmup_steps",))
    if given is not None:
        return scaled(source, run, "the warm-up length", given, lambda _: steps, whole=True)
    return added(source, arguments, "warmup_steps", str(steps))


CHANGE = Change(
    name="schedule.warmup",
    label="warm-up {}",
    forms=("schedule.warmup 500",),
    says="warm up the learning rate over N steps, at most 30% of the run",
    torch=_live,
    keras=_live,
    edit=_edit,
    option=Option(
        ("warmup", "warmup_steps", "num_warmup_steps", "warmup_iters"),
        fact=WARMUP_STEPS,
        trainer="warmup_steps",
    ),
    edited_file=(OPTIMIZER_PLACE, SCRIPT),
)
