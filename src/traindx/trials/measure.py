"""What an arm is compared by: one number at the end of its recording."""

import math
from collections.abc import Sequence

import numpy as np

from traindx.changes.types import Measure
from traindx.curves.series import whole
from traindx.quantities import (
    PREDICTION_RECALL,
    STEP_TIME,
    TRAIN_ACCURACY,
    TRAIN_LOSS,
    VAL_ACCURACY,
    VAL_LOSS,
)
from traindx.run import Quantity, Run

_TAIL = 0.15
"""The last part of a curve, whose mean is its end."""
_ANSWERS = (Measure.VALIDATION_ERROR, Measure.ERROR)
_FIRST = 5
"""Points whose median is where a curve begins."""
_CURVES: dict[Measure, tuple[Quantity, bool]] = {
    Measure.LOSS: (TRAIN_LOSS, False),
    Measure.LOSS_SIZE: (TRAIN_LOSS, False),
    Measure.VALIDATION_LOSS: (VAL_LOSS, False),
    Measure.ERROR: (TRAIN_ACCURACY, True),
    Measure.VALIDATION_ERROR: (VAL_ACCURACY, True),
    Measure.BALANCED_ERROR: (PREDICTION_RECALL, True),
    Measure.SPEED: (STEP_TIME, False),
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
    tail = values[-max(1, math.ceil(_TAIL * len(values))) :]
    return float(tail.mean()) if np.isfinite(tail).all() else math.inf


def start_of(points: Sequence[tuple[float, float]]) -> float | None:
    """The median of the first points; None where there are none that are finite."""
    values = [value for _, value in points[:_FIRST] if math.isfinite(value)]
    return float(np.median(values)) if values else None


def steps_of(run: Run) -> int:
    """How many steps a run took."""
    return int(max((float(one.steps[-1]) for one in run.series if len(one)), default=0.0))


def accuracy(run: Run, until: float | None = None) -> float | None:
    """The accuracy at the end, or at a step; on validation data where there is some."""
    for measure in _ANSWERS:
        wrong = end(run, measure, until)
        if wrong is not None and math.isfinite(wrong):
            return 1 - wrong
    return None


def accuracies(run: Run) -> tuple[tuple[float, float], ...]:
    """The same over steps."""
    measure = next((one for one in _ANSWERS if can_measure(run, one)), None)
    return tuple((step, 1 - wrong) for step, wrong in curve(run, measure)) if measure else ()
