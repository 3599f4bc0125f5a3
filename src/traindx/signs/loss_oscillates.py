"""A loss that swings instead of settling."""

from typing import Annotated

import numpy as np

from traindx.curves.curve import Curve, curve_of, whole
from traindx.curves.objective import OBJECTIVES, loss_of
from traindx.curves.robust import running_median
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.format import number
from traindx.quantities import VAL_LOSS
from traindx.run import Axis, Floats, Run


@sign(needs=(OBJECTIVES,), severity=Severity.WARNING)
def loss_oscillates(
    run: Run,
    *,
    swing: Annotated[float, "swing over all progress; bench/thresholds.md#swing"] = 0.5,
    excess: Annotated[float, "level swing over what point noise explains; bench/thresholds.md#excess"] = 5.0,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 12,
) -> Answer:
    """The training loss keeps swinging widely in the second half of the run."""
    loss = loss_of(run)
    if loss is None or len(loss) < points or loss.blocks < 10:
        return CANNOT_TELL
    late = slice(loss.blocks // 2, None)
    swings, worth = _swing(loss.level[late]), _worth(loss)
    # Batches that differ make single points jump; only levels that jump more than that show an oscillation.
    explained = 1.25 * float(np.median(loss.spread[late])) / np.sqrt(loss.width) if loss.width >= 5 else 0.0
    turns = _turns(loss.level[late])
    if swings < swing * worth or swings < excess * explained or turns < 0.3:
        return None
    if loss.width < 5 and loss.axis is not Axis.EPOCH and not _validation_swings(run, swing):
        # Too few points to average the batches out: the swing may be theirs, not the network's.
        return CANNOT_TELL
    says = f"in the second half the level of the {loss.called} still swings by {number(swings)};"
    says += f" all it gained in the run is {number(loss.progress)}"
    strength = min(1.0, swings / (2 * swing * worth))
    return Finding(strength, says, (loss.evidence(loss.since(0.5), loss.end),))


def _worth(loss: Curve) -> float:
    """What a swing is held against: all progress, or a quarter of the level where there was hardly any."""
    return max(loss.progress, 0.25 * loss.size)


def _swing(level: Floats) -> float:
    """From the lower to the upper side of the levels around their trend, one in ten left out."""
    around = level - running_median(level, 15)
    return float(np.quantile(around, 0.95) - np.quantile(around, 0.05))


def _turns(level: Floats) -> float:
    """The share of inner points where the curve changes its direction; 2/3 for pure noise."""
    moves = np.diff(level)
    return float(np.mean(moves[1:] * moves[:-1] < 0)) if len(moves) > 1 else 0.0


def _validation_swings(run: Run, swing: float) -> bool:
    """Whether the validation loss, which no batch makes noisy, swings as well."""
    if VAL_LOSS not in run:
        return False
    val = curve_of(whole(run, VAL_LOSS))
    return len(val) >= 8 and _swing(val.level[val.blocks // 3 :]) > swing * _worth(val)
