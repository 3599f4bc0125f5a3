"""A loss scale that is halved again and again."""

from typing import Annotated

import numpy as np

from traindx.curves.curve import whole
from traindx.finding import CANNOT_TELL, Answer, Evidence, Finding, Severity, sign
from traindx.format import number
from traindx.quantities import LOSS_SCALE
from traindx.run import Run


@sign(needs=(LOSS_SCALE,), severity=Severity.SERIOUS)
def loss_scale_collapses(
    run: Run,
    *,
    ratio: Annotated[float, "last scale over the largest; bench/thresholds.md#loss-scale"] = 2**-8,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 5,
) -> Answer:
    """The loss scale of half precision falls and does not come back."""
    scale = whole(run, LOSS_SCALE).finite
    if len(scale) < points:
        return CANNOT_TELL
    largest, last = float(scale.values.max()), float(scale.values[-1])
    floor = float(scale.values.min())
    middle = float(scale.values[len(scale) // 2])
    # Every run searches its scale from far above at first: a collapse goes on in the second half.
    if largest <= 0 or last > ratio * largest or last > 2 * floor or last > middle / 4:
        return None
    top = int(scale.values.argmax())
    where = (float(scale.steps[top]), float(scale.steps[-1]))
    says = (
        f"the loss scale falls from {number(largest)} to {number(last)}: gradients overflow again and again"
    )
    strength = float(np.clip(0.5 + 0.1 * np.log2(ratio * largest / max(last, 1e-300)), 0.5, 1.0))
    evidence = Evidence(LOSS_SCALE, where, last, ratio * largest, scale.axis)
    return Finding(strength, says, (evidence,))
