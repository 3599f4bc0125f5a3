"""A loss that falls in steps where epochs begin, as models that remember their data do."""

from itertools import pairwise
from typing import Annotated

import numpy as np

from traindx.curves.curve import curve_of, whole
from traindx.finding import CANNOT_TELL, Answer, Finding, sign
from traindx.format import number
from traindx.quantities import EPOCH, TRAIN_LOSS
from traindx.run import Axis, Floats, Rows, Run


@sign(needs=(TRAIN_LOSS, EPOCH))
def staircase_at_epochs(
    run: Run,
    *,
    share: Annotated[float, "of the fall that happens at boundaries; bench/thresholds.md#staircase"] = 0.6,
    points: Annotated[int, "fewest points in an epoch; bench/thresholds.md#few-points"] = 8,
) -> Answer:
    """The training loss falls in steps at epoch boundaries."""
    series = whole(run, TRAIN_LOSS).finite
    bounds = _boundaries(run, series.steps)
    if series.axis is not Axis.STEP or len(bounds) < 2 or int(np.diff(bounds).min()) < points:
        return CANNOT_TELL
    inner = [series.values[a:b] for a, b in pairwise(bounds)]
    edge = max(3, min(len(part) for part in inner) // 5)
    firsts = np.array([float(np.median(part[:edge])) for part in inner])
    lasts = np.array([float(np.median(part[-edge:])) for part in inner])
    drops, fall = lasts[:-1] - firsts[1:], firsts[0] - lasts[-1]
    if not len(drops) or fall <= 0:
        return None
    noise = curve_of(series).noise / np.sqrt(edge)
    if float(drops.sum()) < share * fall or float(np.median(drops)) < 2 * noise:
        return None
    says = (
        f"{number(float(drops.sum()) / fall * 100)} % of the fall happens at {len(drops)} epoch boundaries,"
    )
    says += " which is normal when the model remembers data it sees again"
    curve = curve_of(series)
    steps = (float(series.steps[bounds[0]]), float(series.steps[bounds[-1] - 1]))
    return Finding(1.0, says, (curve.evidence(steps, float(lasts[-1]), float(firsts[0])),))


def _boundaries(run: Run, steps: Floats) -> Rows:
    """The indices of the points with which an epoch begins, and one past the last point."""
    epochs = whole(run, EPOCH).finite
    if not len(steps) or not len(epochs) or epochs.axis is not Axis.STEP:
        return np.empty(0, dtype=np.int64)
    number_of = np.floor(np.interp(steps, epochs.steps, epochs.values) + 1e-9)
    changes = np.flatnonzero(np.diff(number_of) > 0) + 1
    return np.concatenate([[0], changes, [len(steps)]]).astype(np.int64)
