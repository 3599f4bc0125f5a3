"""How long a recorded training took, and where the time of a step went."""

from dataclasses import dataclass

import numpy as np

from traindx import facts as f
from traindx.curves.facts import is_recording
from traindx.quantities import (
    BACKWARD_TIME,
    DATA_TIME,
    FORWARD_TIME,
    OTHER_TIME,
    STEP_TIME,
    UPDATE_TIME,
    WALL_TIME,
)
from traindx.run import Quantity, Run

_TIMES = {
    DATA_TIME: "data",
    FORWARD_TIME: "forward",
    BACKWARD_TIME: "backward",
    UPDATE_TIME: "optimizer",
    OTHER_TIME: "other",
}


@dataclass(frozen=True)
class Pace:
    """How far a recorded training came, and what recording it cost."""

    steps: float
    seconds: float
    cost: float | None
    """Share of the run's time that recording took; None where it was not stated."""


@dataclass(frozen=True)
class Time:
    """One part of a step's time."""

    called: str
    seconds: float
    share: float


def pace(run: Run) -> Pace | None:
    """Steps, seconds and cost; None for a log, which nobody recorded."""
    if not is_recording(run):
        return None
    clocks = run.all(WALL_TIME)
    seconds = run.facts.get(f.RECORDED_SECONDS)
    if not isinstance(seconds, int | float):
        seconds = max((float(clock.values[-1]) for clock in clocks), default=0.0)
    cost = run.facts.get(f.RECORDING_COST)
    steps = max((float(series.steps[-1]) for series in clocks or run.series), default=0.0)
    return Pace(steps, float(seconds), float(cost) if isinstance(cost, int | float) else None)


def seconds_for(run: Run, steps: float) -> float | None:
    """About how long so many steps of a run take, at most all of them; None where its pace is not known."""
    recorded = pace(run)
    if recorded is None or not recorded.steps or not recorded.seconds or not steps:
        return None
    return recorded.seconds * min(steps / recorded.steps, 1.0)


def times(run: Run) -> tuple[Time, ...]:
    """Where the time of a step goes, by medians: one slow step must not decide."""
    if not is_recording(run):
        return ()
    parts = {called: _median(run, quantity) for quantity, called in _TIMES.items()}
    whole = _median(run, STEP_TIME)
    if whole is not None and parts["other"] is None:
        # Without a data loader only the two calls that were seen can be told from the rest.
        parts["other"] = max(whole - sum(part or 0.0 for part in parts.values()), 0.0)
    known = {called: seconds for called, seconds in parts.items() if seconds is not None}
    total = sum(known.values())
    if not total > 0:
        return ()
    return tuple(Time(called, seconds, seconds / total) for called, seconds in known.items())


def _median(run: Run, quantity: Quantity) -> float | None:
    """The median of a quantity; of several optimizers, the sum of theirs."""
    found = [float(np.median(series.finite.values)) for series in run.all(quantity) if len(series.finite)]
    return sum(found) if found else None
