"""A loss that never moved."""

from typing import Annotated

import numpy as np

from traindx.curves.curve import Curve, curve_of, is_beyond, whole
from traindx.curves.objective import OBJECTIVES, loss_of
from traindx.curves.robust import rank_trend
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.format import number
from traindx.quantities import VAL_LOSS
from traindx.run import Run

_STEADY = 4.0
"""The rank trend that no chance makes, as in `loss_falls`; bench/thresholds.md#steady."""


@sign(needs=(OBJECTIVES,), severity=Severity.SERIOUS)
def loss_flat_from_start(
    run: Run,
    *,
    share: Annotated[float, "best fall over the level; bench/thresholds.md#flat"] = 0.03,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 10,
) -> Answer:
    """The training loss never leaves the level it began at."""
    loss = loss_of(run)
    if loss is None or len(loss) < points or is_beyond(loss.start):
        return CANNOT_TELL
    fall = loss.start - loss.end
    within = fall <= max(share * loss.size, min(2.0 * loss.noise, 3 * share * loss.size))
    reached = loss.start - loss.best > max(2 * share * loss.size, 3 * loss.noise)
    # A loss that has risen by a tenth does not stay where it was: from there on it may be said to diverge.
    left = -fall > max(0.1 * loss.size, 2.0 * loss.noise)
    if not within or left or reached or _drifts_down(loss, 2 * share * loss.size) or _validation_gains(run):
        return None
    if loss.floorless and loss.noise > 1e-6 * abs(loss.start):
        # Its noise may hide a fall, and it has no level to say that such a fall would be a small one.
        return CANNOT_TELL
    says = f"over {len(loss):,} points the {loss.called} stays where it was:"
    says += f" {loss.text(loss.start)} at first, {loss.text(loss.end)} at last"
    if abs(fall) > 3 * share * loss.size:
        says += f", where single points scatter by {number(loss.noise)}"
    steps = (float(loss.steps[0]), float(loss.steps[-1]))
    strength = max(0.3, 1.0 - max(fall, 0.0) / max(3 * share * loss.size, 1e-300))
    evidence = loss.evidence(steps, loss.end, loss.start - share * loss.size)
    return Finding(min(1.0, strength), says, (evidence,))


def _drifts_down(loss: Curve, least: float) -> bool:
    """Whether all of the run together shows a fall that a first point among noisy ones does not."""
    third = max(loss.blocks // 3, 1)
    fall = float(np.median(loss.level[:third]) - np.median(loss.level[-third:]))
    return fall > least and rank_trend(loss.level) <= -_STEADY


def _validation_gains(run: Run) -> bool:
    """Whether validation shows a progress that is lost in the noise of single training batches."""
    if VAL_LOSS not in run:
        return False
    val = curve_of(whole(run, VAL_LOSS))
    return len(val) >= 5 and val.start - val.end > max(5 * val.end_noise, 0.06 * val.size)
