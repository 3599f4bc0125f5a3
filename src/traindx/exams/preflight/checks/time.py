"""How long the run is going to take, and what a step waits for."""

from traindx.causes.data_loading_bottleneck import data_wait_dominates
from traindx.causes.host_device_sync import values_read_singly
from traindx.curves.timing import pace, times
from traindx.exams.preflight.check import asked
from traindx.exams.preflight.types import Check, Part, Rehearsal, Seen
from traindx.finding import Mark
from traindx.format import count, duration


def ask(rehearsal: Rehearsal) -> list[Seen]:
    """Warn where steps wait; the time of the whole run, where its length is known."""
    found, _ = asked(rehearsal.run, (data_wait_dominates, values_read_singly))
    seconds = _of_a_step(rehearsal)
    if seconds is None:
        return found or [Seen(Mark.UNSEEN, "no step was timed")]
    told = f"{duration(seconds)} a step, validation included"
    parts = [f"{one.called} {one.share:.0%}" for one in times(rehearsal.run) if one.share >= 0.1]
    told += f" ({', '.join(parts)})" if parts else ""
    steps, epoch = rehearsal.length.steps, rehearsal.length.epoch_steps
    if steps is not None:
        told += f": about {duration(seconds * steps)} for {count(steps, 'step')}"
    elif epoch is not None:
        told += f": about {duration(seconds * epoch)} an epoch"
    return [*found, Seen(Mark.PASS, told)]


def _of_a_step(rehearsal: Rehearsal) -> float | None:
    """Seconds, without what recording took."""
    told = pace(rehearsal.run)
    if told is None or not told.steps or not told.seconds:
        return None
    return told.seconds * (1 - (told.cost or 0.0)) / told.steps


CHECK = Check("time", "Steps do not wait for data or for single values", Part.COST, 20, ask)
