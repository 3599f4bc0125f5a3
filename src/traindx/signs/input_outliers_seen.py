"""A few inputs that are absurdly large."""

import math
from typing import Annotated

import numpy as np

from traindx.curves.inside import graded, looked, seen_in
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.format import number
from traindx.quantities import INPUT_MAX, INPUT_MEAN, INPUT_MIN, INPUT_OUTLIER_SHARE, INPUT_STD
from traindx.run import Floats, Run


@sign(needs=(INPUT_MAX, INPUT_MIN, INPUT_STD), severity=Severity.WARNING)
def input_outliers_seen(
    run: Run,
    *,
    times: Annotated[float, "largest value over the typical spread; bench/thresholds.md#outliers"] = 30.0,
    often: Annotated[float, "share of batches that hold some; bench/thresholds.md#outliers"] = 0.3,
    far: Annotated[float, "largest value over the spread; bench/thresholds.md#outliers"] = 10.0,
    looks: Annotated[int, "fewest looks; bench/thresholds.md#few-looks"] = 5,
) -> Answer:
    """Some batches hold values that lie far outside of what others hold."""
    high, low, std = looked(run, INPUT_MAX), looked(run, INPUT_MIN), looked(run, INPUT_STD)
    mean = looked(run, INPUT_MEAN)
    if high is None or low is None or std is None or mean is None or len(std) < looks:
        return CANNOT_TELL
    # A batch may have a largest value that is finite and a smallest that is not.
    steps = np.intersect1d(high.steps, low.steps)
    if len(steps) < looks:
        return CANNOT_TELL
    highs, lows = (one.values[np.isin(one.steps, steps)] for one in (high, low))
    # The quieter batches tell the usual spread: the loud ones hold what is looked for.
    usual = max(float(np.quantile(std.values, 0.25)), 1e-300)
    centre = float(np.median(mean.values))
    reach = np.maximum(np.abs(highs - centre), np.abs(lows - centre))
    peak = int(np.argmax(reach))
    ratio = float(reach[peak]) / usual
    # Where every batch reaches as far, it is how the data is, not a few rows of it.
    rare = float(reach[peak]) > 4 * float(np.median(reach))
    if not math.isfinite(ratio):
        return CANNOT_TELL
    if ratio < times or not rare:
        return _everywhere(run, reach, usual, often, far)
    at = float(steps[peak])
    says = f"a value lies {ratio:.0f} times the usual spread ({number(usual)}) away at step {at:,.0f}"
    says += f"; half of the batches reach {number(float(np.median(reach)) / usual)} times"
    return Finding(
        graded(ratio, times, 10 * times), says, (seen_in(high, float(reach[peak]), None, (at, at)),)
    )


def _everywhere(run: Run, reach: Floats, usual: float, often: float, far: float) -> Answer:
    """A few values in many batches that lie far outside: of what is validated on, or of their own feature."""
    found = _beyond_validation(run, reach, far)
    if found is not None:
        return found
    share = looked(run, INPUT_OUTLIER_SHARE)
    if share is None:
        return None
    held, most = float(np.mean(share.values > 0)), float(np.max(reach)) / usual
    if held < often or most < far:
        return None
    typical = float(np.median(share.values[share.values > 0]))
    says = f"{held:.0%} of the batches hold values far outside of their feature's range, {typical:.2%} of all"
    return Finding(0.8, says, (seen_in(share, typical, 0.0),))


def _beyond_validation(run: Run, reach: Floats, far: float) -> Finding | None:
    """Values of training that lie many times as far out as any that is validated on."""
    high, low = looked(run, INPUT_MAX, "validation"), looked(run, INPUT_MIN, "validation")
    mean, std = looked(run, INPUT_MEAN, "validation"), looked(run, INPUT_STD)
    if high is None or low is None or mean is None or std is None:
        return None
    centre = float(np.median(mean.values))
    farthest = max(float(np.max(high.values)) - centre, centre - float(np.min(low.values)))
    ratio = float(np.max(reach)) / max(farthest, 1e-300)
    # What is scaled otherwise as a whole has its values all over that range.
    spread = float(np.median(reach)) / max(float(np.median(std.values)), 1e-300)
    if farthest <= 0 or not math.isfinite(ratio) or ratio < far or spread < far:
        return None
    says = f"training inputs reach {ratio:.0f} times as far as any validation input, few of them"
    return Finding(graded(ratio, far, 10 * far), says, (seen_in(std, float(np.max(reach)), far * farthest),))
