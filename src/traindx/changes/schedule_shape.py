"""Another course of the learning rate: flat, a warm-up, a cosine, stepped per epoch, a range test."""

from __future__ import annotations

import math

from traindx.changes import cst
from traindx.changes.live.keras_program import KerasProgram
from traindx.changes.live.program import Program, StepRate
from traindx.changes.source.hyperparameter import Option
from traindx.changes.source.literal import added, scaled
from traindx.changes.source.loop import is_repeated, loop_around, steps_of
from traindx.changes.source.optimizer import trainer_call
from traindx.changes.source.schedule import number_of_steps, scheduled, steps_of_schedule
from traindx.changes.source.source import Source, after, removed
from traindx.changes.source.syntax import argument, expression, text_of, with_argument, with_value
from traindx.changes.types import NOT_IN_SOURCE, Change, ChangeSpec, Edited, New, RefusedError
from traindx.curves.facts import batches_per_epoch
from traindx.errors import TraindxError
from traindx.facts import OPTIMIZER_PLACE, SCHEDULE_PLACE, SCRIPT, WARMUP_STEPS
from traindx.run import Run


def _live_constant(program: Program | KerasProgram, change: ChangeSpec) -> None:
    """Take each step at the learning rate the optimizer was made with."""

    def factor(rate: StepRate) -> float:
        if rate.now and rate.now != rate.first:
            program.applied(change, f"the learning rate stays at {rate.first:g} (schedule: {rate.now:g})")
        return rate.without_schedule

    program.multiply_rates(factor)


def _edit_constant(source: Source, _: ChangeSpec, run: Run) -> Edited:
    """Take the steps of the schedule out."""
    arguments = trainer_call(source)
    kind = argument(arguments, ("lr_scheduler_type",)) if arguments is not None else None
    if kind is not None:
        says = f'lr_scheduler_type={source.code(kind.value)} -> "constant" at {source.place(kind)}'
        return Edited({kind: with_value(kind, '"constant"')}, says)
    steps = steps_of_schedule(source, run)
    parts: dict[cst.CSTNode, New] = {}
    for step in steps:
        parts |= removed(source, step)
    return Edited(
        parts, f"{source.code(steps[0])} removed at {', '.join(source.place(step) for step in steps)}"
    )


CONSTANT = Change(
    name="schedule.constant",
    label="constant lr",
    says="keep the initial learning rate, without the program's schedule",
    torch=_live_constant,
    keras=_live_constant,
    edit=_edit_constant,
    edited_file=(SCHEDULE_PLACE, OPTIMIZER_PLACE, SCRIPT),
)


_MOST = 0.3
"""Of the run: a warm-up that never ends is another learning rate."""


def _length_of(change: ChangeSpec, steps: int | None) -> int:
    """How many steps the learning rate rises for, in a run of so many where that is known."""
    wanted = max(1, round(change.number))
    return min(wanted, max(1, int(_MOST * steps))) if steps else wanted


def _live_warmup(program: Program | KerasProgram, change: ChangeSpec) -> None:
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


def _edit_warmup(source: Source, change: ChangeSpec, run: Run) -> Edited:
    """Let the learning rate rise over the first steps, where no schedule is there yet."""
    steps = _length_of(change, number_of_steps(run))
    arguments = trainer_call(source)
    if arguments is None:
        return scheduled(source, run, "warmup", "LambdaLR", f"lambda step: min(1.0, (step + 1) / {steps})")
    kind = argument(arguments, ("lr_scheduler_type",))
    if kind is not None and text_of(kind.value) == "constant":
        raise RefusedError(f"the constant schedule has no warm-up, {source.place(kind)}")
    arg = argument(arguments, ("warmup_steps",))
    if arg is not None:
        return scaled(source, run, "the warm-up length", arg, lambda _: steps, whole=True)
    return added(source, arguments, "warmup_steps", str(steps))


WARMUP = Change(
    name="schedule.warmup",
    label="warm-up {}",
    forms=("schedule.warmup 500",),
    says="warm up the learning rate over N steps, at most 30% of the run",
    torch=_live_warmup,
    keras=_live_warmup,
    edit=_edit_warmup,
    option=Option(
        ("warmup", "warmup_steps", "num_warmup_steps", "warmup_iters"),
        fact=WARMUP_STEPS,
        trainer="warmup_steps",
    ),
    edited_file=(OPTIMIZER_PLACE, SCRIPT),
)


_LEAST = 0.01


def _live_cosine(program: Program | KerasProgram, change: ChangeSpec) -> None:
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


def _edit_cosine(source: Source, _: ChangeSpec, run: Run) -> Edited:
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


COSINE = Change(
    name="schedule.cosine",
    label="cosine lr schedule",
    says="cosine decay of the learning rate to the end of the run, instead of any other schedule",
    torch=_live_cosine,
    keras=_live_cosine,
    edit=_edit_cosine,
    edited_file=(OPTIMIZER_PLACE, SCRIPT),
)


def _live_per_epoch(program: Program | KerasProgram, change: ChangeSpec) -> None:
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


def _edit_per_epoch(source: Source, _: ChangeSpec, run: Run) -> Edited:
    """Move the step of the schedule behind the loop over the batches, or tell Lightning its interval."""
    intervals = [
        entry
        for entry in source.all(cst.DictElement)
        if (text_of(entry.key), text_of(entry.value)) == ("interval", "step")
    ]
    if len(intervals) == 1:
        (entry,) = intervals
        says = f'"interval": "step" -> "epoch" at {source.place(entry)}'
        return Edited({entry.value: cst.SimpleString('"epoch"')}, says)
    steps = steps_of_schedule(source, run)
    loop = loop_around(source, steps[0])
    if len(steps) > 1 or loop is None or not is_repeated(source, loop):
        raise RefusedError(f"no single scheduler step in a loop within a loop found in {source.shown}")
    if loop not in [loop_around(source, step.call) for step in steps_of(source, run)]:
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


def _from_run_per_epoch(_: ChangeSpec, run: Run) -> ChangeSpec | None:
    length = batches_per_epoch(run)
    return None if length is None else ChangeSpec("schedule.per_epoch", (str(round(length)),))


PER_EPOCH = Change(
    name="schedule.per_epoch",
    label="scheduler step per epoch",
    forms=("schedule.per_epoch 45",),
    says="advance the program's schedule once per N steps, the batches of an epoch",
    torch=_live_per_epoch,
    keras=_live_per_epoch,
    edit=_edit_per_epoch,
    from_run=_from_run_per_epoch,
    also="schedule.each_epoch",
    edited_file=(SCHEDULE_PLACE, OPTIMIZER_PLACE, SCRIPT),
)


_NO_RATE = "the program's learning rate is 0"
_FORM = "schedule.range 1e-7 10 75"
_REACH = 100.0
"""A range goes so many times below and above the program's own rate, wherever that is."""


def _live_range(program: Program | KerasProgram, change: ChangeSpec) -> None:
    """Raise the learning rate from one number to another, by the same factor each step; a schedule scales it.

    Several optimizers keep the ratio of their learning rates.
    """
    low, high, steps = _numbers(change)
    own: list[float] = []

    def factor(rate: StepRate) -> float:
        if not own:
            own.append(rate.first)
        if not own[0]:
            program.refuse(change, _NO_RATE)
            return 1.0
        program.applied(change, f"the learning rate {own[0]:.9g} is replaced by a range of learning rates")
        return rising(own[0], low, high, steps, rate.taken) / own[0]

    program.multiply_rates(factor)


def _numbers(change: ChangeSpec) -> tuple[float, float, float]:
    try:
        low, high, steps = map(float, change.words)
    except ValueError:
        low = high = steps = math.nan
    if not (0 < low < high < math.inf and 1 < steps < math.inf):
        raise TraindxError(
            f'"{change}": expected the lowest and highest learning rate and the steps, for example: {_FORM}'
        )
    return low, high, steps


def rising(own: float, low: float, high: float, steps: float, taken: int) -> float:
    """The learning rate of a step of a range test; the range includes the program's own."""
    low, high = min(low, own / _REACH), max(high, own * _REACH)
    return float(low * (high / low) ** (min(taken, steps - 1) / max(1, steps - 1)))


def _label_range(change: ChangeSpec) -> str:
    lowest, highest, _ = change.words
    return f"lr range {lowest} to {highest}"


RANGE = Change(
    name="schedule.range",
    label=_label_range,
    forms=(_FORM,),
    says="raise the learning rate from LOW to HIGH over N steps (used by traindx lr-find)",
    torch=_live_range,
    keras=_live_range,
    edit=NOT_IN_SOURCE,
    is_fix=False,
)
