"""What the run is going to take: steps, time and memory."""

from dataclasses import replace

from traindx.causes.data_loading_bottleneck import data_wait_dominates
from traindx.causes.host_device_sync import values_read_singly
from traindx.causes.memory_leak import memory_grows
from traindx.curves.objective import is_adversarial
from traindx.curves.timing import pace, times
from traindx.exams.check import Check, Outcome, unseen
from traindx.exams.preflight.signs import asked
from traindx.exams.preflight.types import Length, Part, Rehearsal
from traindx.finding import Finding, Severity, problem
from traindx.format import count, duration
from traindx.quantities import MEMORY
from traindx.signs.loop import few_updates_per_epoch

_TOLD = 0.1
"""Share of a step from which a part of it is named."""
_GPU = "cuda"
_FULL = 0.9
"""Of the machine's memory: what is above leaves no room for anything else."""


def _length(rehearsal: Rehearsal) -> Outcome:
    """Warn where batches are so large that the whole run is a few dozen steps."""
    length = rehearsal.length
    if length.steps is None:
        return unseen(length.says or "the program does not say how long it is going to run")
    # Of networks in turn, a round is a step of each, and no epoch.
    told = count(length.steps, "step") if is_adversarial(rehearsal.run) else _steps(length)
    few = few_updates_per_epoch(rehearsal.run)
    fewest = next(one.value for one in few_updates_per_epoch.limits if one.name == "total")
    if isinstance(few, Finding) and length.steps <= fewest:
        says = f"{told} in all; fewer than {fewest:g} move the weights little"
        warning = replace(few, severity=Severity.WARNING, says=says, sign=few_updates_per_epoch.slug)
        return Outcome(findings=(warning,))
    return Outcome(told)


def _steps(length: Length) -> str:
    steps = count(length.steps or 0, "step")
    if length.epochs is None or length.epoch_steps is None or length.epochs == length.steps:
        return steps
    return f"{steps}, {count(length.epochs, 'epoch')} of {length.epoch_steps:,}"


LENGTH = Check("length", "The run is long enough to move the weights", _length, 10, Part.COST)


def _time(rehearsal: Rehearsal) -> Outcome:
    """Warn where steps wait; the time of the whole run, where its length is known."""
    found, _ = asked(rehearsal.run, (data_wait_dominates, values_read_singly))
    seconds = _of_a_step(rehearsal)
    if seconds is None:
        return Outcome(findings=found) if found else unseen("no step was timed")
    told = f"{duration(seconds)} a step, validation included"
    parts = [f"{one.called} {one.share:.0%}" for one in times(rehearsal.run) if one.share >= _TOLD]
    told += f" ({', '.join(parts)})" if parts else ""
    steps, epoch = rehearsal.length.steps, rehearsal.length.epoch_steps
    if steps is not None:
        told += f": about {duration(seconds * steps)} for {count(steps, 'step')}"
    elif epoch is not None:
        told += f": about {duration(seconds * epoch)} an epoch"
    return Outcome(told, found)


def _of_a_step(rehearsal: Rehearsal) -> float | None:
    """Seconds, without what recording took."""
    told = pace(rehearsal.run)
    if told is None or not told.steps or not told.seconds:
        return None
    return told.seconds * (1 - (told.cost or 0.0)) / told.steps


TIME = Check("time", "Steps do not wait for data or for single values", _time, 20, Part.COST)


def _memory(rehearsal: Rehearsal) -> Outcome:
    """Warn where memory grows from step to step, or is nearly all taken."""
    found, _ = asked(rehearsal.run, (memory_grows,))
    all_of = rehearsal.run.all(MEMORY)
    held = [one.values.max() for one in all_of if len(one.finite) and not one.part.endswith(_GPU)]
    cuda = [one.values.max() for one in all_of if len(one.finite) and one.part.endswith(_GPU)]
    if not held:
        why = "the system does not tell how much memory is held"
        return Outcome(findings=found) if found else unseen(why)
    peak, machine = float(max(held)), rehearsal.memory
    told = f"at most {_bytes(peak)}{f' of {_bytes(machine)}' if machine else ''}"
    told += f", {_bytes(float(max(cuda)))} on the GPU" if cuda else ""
    if machine and peak > _FULL * machine:
        return Outcome(findings=(*found, problem("", Severity.WARNING, f"{told}: hardly any is left")))
    return Outcome(told, found)


def _bytes(size: float) -> str:
    return f"{size / 2**30:.1f} GB" if size >= 2**30 else f"{size / 2**20:.0f} MB"


MEMORY_USE = Check("memory", "Memory is enough, and does not grow from step to step", _memory, 30, Part.COST)
