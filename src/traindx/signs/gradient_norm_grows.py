"""A gradient norm that grows over the run."""

from typing import Annotated

import numpy as np

from traindx.curves.curve import curve_of, whole
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.format import number
from traindx.quantities import GRADIENT_NORM
from traindx.run import Run


@sign(needs=(GRADIENT_NORM,), severity=Severity.SERIOUS)
def gradient_norm_grows(
    run: Run,
    *,
    ratio: Annotated[float, "end over the calm first half; bench/thresholds.md#gradient-growth"] = 10.0,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 10,
) -> Answer:
    """The gradient norm grows far beyond what it was."""
    norm = curve_of(whole(run, GRADIENT_NORM))
    if len(norm) < points:
        return CANNOT_TELL
    calm = float(np.median(norm.level[: max(norm.blocks // 2, 3)]))
    end = norm.end
    if calm <= 0 or end < ratio * calm:
        return None
    says = f"the gradient norm is {number(calm)} in the first half and ends at {number(end)},"
    says += f" {end / calm:,.0f} times as much"
    strength = min(1.0, 0.4 + 0.3 * float(np.log10(end / (ratio * calm)) + 1))
    return Finding(strength, says, (norm.evidence(norm.since(0.5), end, ratio * calm),))
