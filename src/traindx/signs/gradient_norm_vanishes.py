"""A gradient norm that dies while there is still something to learn."""

from typing import Annotated

import numpy as np

from traindx.curves.curve import curve_of, whole
from traindx.curves.objective import loss_of
from traindx.curves.settled import at_floor
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.format import number
from traindx.quantities import GRADIENT_NORM
from traindx.run import Run


@sign(needs=(GRADIENT_NORM,), severity=Severity.SERIOUS)
def gradient_norm_vanishes(
    run: Run,
    *,
    ratio: Annotated[float, "end over the largest level; bench/thresholds.md#gradient-death"] = 1e-3,
    tiny: Annotated[float, "norm over the loss it comes from; bench/thresholds.md#gradient-death"] = 1e-4,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 10,
) -> Answer:
    """The gradient norm is next to nothing although the loss is not at a floor."""
    norm, loss = curve_of(whole(run, GRADIENT_NORM)), loss_of(run)
    if len(norm) < points or loss is None or len(loss) < 3:
        return CANNOT_TELL
    if at_floor(run, loss) or loss.start - loss.end > 0.5 * loss.size:
        return None
    peak = float(np.max(norm.level))
    limit = max(ratio * peak, 0.0 if loss.floorless else tiny * abs(loss.end))
    if norm.end > limit or norm.end == 0 or loss.end > loss.start + 0.1 * loss.size:
        # Exactly zero is no small gradient but none, and beside a loss that grew every norm looks small.
        return None
    says = f"the gradient norm ends at {number(norm.end)} (it was up to {number(peak)})"
    says += f" with the loss at {loss.text(loss.end)}"
    return Finding(1.0, says, (norm.evidence(norm.since(0.9), norm.end, limit),))
