"""Passes over the data: where each begins, and where the training loss stands in it."""

from itertools import pairwise

import numpy as np

from traindx.curves.facts import stated_number
from traindx.curves.limits import FEW, ROUNDING
from traindx.curves.series import whole
from traindx.facts import PLANNED_EPOCHS
from traindx.quantities import EPOCH, TRAIN_LOSS
from traindx.run import Axis, Floats, Rows, Run

_EDGE = 5
"""Parts of a pass, of which the first and the last are its ends; bench/thresholds.md#staircase."""


def levels_of_passes(run: Run, points: int) -> tuple[Floats, Floats, int] | None:
    """Where the training loss begins and ends in each pass, by medians of so many points; None if unknown."""
    series = whole(run, TRAIN_LOSS).finite
    bounds = boundaries(run, series.steps)
    if len(bounds) > 2 and bounds[-1] - bounds[-2] < points:
        # What was written as a pass ended belongs to it.
        bounds = np.delete(bounds, -2)
    if series.axis is not Axis.STEP or len(bounds) < 2 or int(np.diff(bounds).min()) < points:
        return None
    inner = [series.values[first:last] for first, last in pairwise(bounds)]
    edge = max(FEW, min(len(part) for part in inner) // _EDGE)
    firsts = np.array([float(np.median(part[:edge])) for part in inner])
    lasts = np.array([float(np.median(part[-edge:])) for part in inner])
    return firsts, lasts, edge


def boundaries(run: Run, steps: Floats) -> Rows:
    """The indices of the points with which an epoch begins, and one past the last point."""
    epochs = whole(run, EPOCH).finite if EPOCH in run else None
    if not len(steps) or epochs is None or not len(epochs) or epochs.axis is not Axis.STEP:
        return np.empty(0, dtype=np.int64)
    number_of = np.floor(np.interp(steps, epochs.steps, epochs.values) + ROUNDING)
    changes = np.flatnonzero(np.diff(number_of) > 0) + 1
    return np.concatenate([[0], changes, [len(steps)]]).astype(np.int64)


def passes_before(run: Run) -> float:
    """How many times the data was seen before the first record of the loss."""
    if EPOCH in run:
        epochs = whole(run, EPOCH).finite.values
        return float(epochs[0]) if len(epochs) else 0.0
    return 0.0


def passes_of(run: Run) -> float | None:
    """How many times the data was seen, as far as that is known."""
    if EPOCH in run:
        return float(np.max(whole(run, EPOCH).finite.values, initial=0.0)) or None
    by_epoch = [series for series in run.all(TRAIN_LOSS) if series.axis is Axis.EPOCH and len(series)]
    return float(by_epoch[0].steps[-1]) if by_epoch else stated_number(run, PLANNED_EPOCHS)
