"""What an arm is compared by, where its curves begin and end, and the steps it takes to show an effect."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from traindx import quantities as q
from traindx.changes.types import Measure
from traindx.curves.series import whole
from traindx.format import count, duration
from traindx.run import Quantity, Run
from traindx.trials.types import PROMISING

TAIL = 0.15
"""The last part of a curve, whose mean is its end."""
_ACCURACIES = (Measure.VALIDATION_ERROR, Measure.ERROR)
_FIRST = 5
"""Points whose median is where a curve begins."""
_CURVES: dict[Measure, tuple[Quantity, bool]] = {
    Measure.LOSS: (q.TRAIN_LOSS, False),
    Measure.LOSS_SIZE: (q.TRAIN_LOSS, False),
    Measure.VALIDATION_LOSS: (q.VAL_LOSS, False),
    Measure.ERROR: (q.TRAIN_ACCURACY, True),
    Measure.VALIDATION_ERROR: (q.VAL_ACCURACY, True),
    Measure.BALANCED_ERROR: (q.PREDICTION_RECALL, True),
    Measure.SPEED: (q.STEP_TIME, False),
}
"""The quantity behind a measure, and whether it counts what is right and not what is wrong."""


def can_measure(run: Run, measure: Measure) -> bool:
    """Whether a run shows what it would be compared by."""
    return _CURVES[measure][0] in run


def curve(run: Run, measure: Measure) -> tuple[tuple[float, float], ...]:
    """Steps and values of what a run is compared by."""
    quantity, turned = _CURVES[measure]
    if quantity not in run:
        return ()
    series = whole(run, quantity)
    values = 1 - series.values if turned else series.values
    if measure is Measure.SPEED:
        values = 1 / np.maximum(values, 1e-9)
    if measure is Measure.LOSS_SIZE:
        values = np.abs(values)
    return tuple(zip(series.steps.tolist(), values.tolist(), strict=True))


def end(run: Run, measure: Measure, until: float | None = None) -> float | None:
    """The mean of the last part, up to a step; infinite where that is no number, None if unknown."""
    points = [(step, value) for step, value in curve(run, measure) if until is None or step <= until]
    if not points:
        return None
    values = np.array([value for _, value in points])
    if measure is Measure.SPEED:
        # The first steps warm up, and a stall of the machine is not the program's.
        return float(np.median(values[len(values) // 5 :]))
    tail = values[-max(1, math.ceil(TAIL * len(values))) :]
    return float(tail.mean()) if np.isfinite(tail).all() else math.inf


def start_of(points: Sequence[tuple[float, float]]) -> float | None:
    """The median of the first points; None where there are none that are finite."""
    values = [value for _, value in points[:_FIRST] if math.isfinite(value)]
    return float(np.median(values)) if values else None


def untrained(run: Run) -> float | None:
    """The training loss before anything was learned; None where there is none.

    Not the median of the first points where these run away: it is a part of the failure.
    """
    points = curve(run, Measure.LOSS)
    first, usual = next((value for _, value in points if math.isfinite(value)), None), start_of(points)
    return None if first is None or usual is None else first if usual > 2 * abs(first) else usual


def steps_of(run: Run) -> int:
    """How many steps a run took."""
    return int(max((float(series.steps[-1]) for series in run.series if len(series)), default=0.0))


def accuracy(run: Run, until: float | None = None) -> float | None:
    """The accuracy at the end, or at a step; on validation data where there is some."""
    for measure in _ACCURACIES:
        wrong = end(run, measure, until)
        if wrong is not None and math.isfinite(wrong):
            return 1 - wrong
    return None


def accuracies(run: Run) -> tuple[tuple[float, float], ...]:
    """The same over steps."""
    measure = next((candidate for candidate in _ACCURACIES if can_measure(run, candidate)), None)
    return tuple((step, 1 - wrong) for step, wrong in curve(run, measure)) if measure else ()


_ARM_SECONDS = 30.0
"""What an arm takes by default, at most."""
_FEWEST = 100
"""Steps below which hardly anything is learned."""
_POINTS = 3
"""Points that a curve needs to have an end."""
_AFTER_FAILURE = 1.1
"""Of the step at which a run fails: an arm that ends before it shows nothing of that."""
_TO_PROVE = 6
"""Runs that a proof takes: three pairs."""
_SHARE = 0.8
"""Of the time limit that longer arms may take for one proof."""


@dataclass(frozen=True)
class Length:
    """The steps of every arm, and what is to be noted of them."""

    steps: int
    note: str = ""


def arm_length(
    run: Run,
    seconds: float,
    measures: Iterable[Measure],
    *,
    wanted: int | None = None,
    arm_seconds: float | None = None,
    left: float = 0.0,
    at_once: int = 1,
) -> Length:
    """The steps of every arm of a program whose first run took so many seconds.

    Those asked for, or the whole run where it is short, or what fits the time; more where these show no
    effect and the seconds `left` allow it for `at_once` arms at a time.
    """
    taken = max(1, steps_of(run))
    if wanted is not None:
        return Length(min(wanted, taken))
    allowed = arm_seconds or _ARM_SECONDS
    if seconds <= allowed:
        return Length(taken)
    fits = max(min(_FEWEST, taken), int(taken * allowed / seconds))
    needed = max([steps_needed(run, measure) for measure in measures], default=0)
    if needed <= fits:
        return Length(fits)
    each = seconds * needed / taken
    if arm_seconds is None and math.ceil(_TO_PROVE / at_once) * each <= _SHARE * left:
        return Length(needed)
    minutes = math.ceil(math.ceil(_TO_PROVE / at_once) * each / _SHARE / 60)
    return Length(
        fits,
        f"trial runs of {count(fits, 'step')} may be too short to show an effect: {needed} steps would"
        f" show it (about {duration(each)} each); use --steps {needed} --minutes {max(1, minutes)}",
    )


def steps_needed(run: Run, measure: Measure) -> int:
    """The steps after which a run would show an effect worth proving, by its failure and its noise."""
    points = curve(run, measure)
    if not points or measure is Measure.SPEED:
        return 0
    steps = np.array([step for step, _ in points])
    values = np.array([value for _, value in points])
    taken = steps_of(run)
    needed = float(steps[min(_POINTS, len(steps)) - 1])
    fails = np.flatnonzero(~np.isfinite(values))
    if len(fails):
        return min(taken, math.ceil(max(needed, _AFTER_FAILURE * float(steps[fails[0]]))))
    tail = values[-max(_POINTS, math.ceil(TAIL * len(values))) :]
    level = abs(float(tail.mean()))
    # From point to point, so that a loss that still falls is not taken for noise.
    noise = float(np.diff(tail).std()) / math.sqrt(2) if len(tail) > _POINTS else 0.0
    if level:
        # Two standard errors of the difference of two ends are no larger than the effect.
        least = (2 * math.sqrt(2) * noise / (PROMISING * level)) ** 2
        needed = max(needed, least / TAIL * taken / len(values))
    return min(taken, math.ceil(needed))
