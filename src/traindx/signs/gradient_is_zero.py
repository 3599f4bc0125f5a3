"""A gradient that is not small but none."""

from typing import Annotated

import numpy as np

from traindx.curves.curve import whole
from traindx.finding import CANNOT_TELL, Answer, Evidence, Finding, Severity, sign
from traindx.quantities import GRADIENT_NORM
from traindx.run import Run


@sign(needs=(GRADIENT_NORM,), severity=Severity.SERIOUS)
def gradient_is_zero(
    run: Run,
    *,
    share: Annotated[float, "of records; bench/thresholds.md#zero"] = 0.9,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 5,
) -> Answer:
    """The gradient norm is exactly zero: nothing reaches the weights."""
    norms = whole(run, GRADIENT_NORM).finite
    if len(norms) < points:
        return CANNOT_TELL
    zero = float(np.mean(norms.values == 0))
    if zero < share:
        return None
    where = (float(norms.steps[0]), float(norms.steps[-1]))
    says = f"the gradient norm is exactly zero in {zero:.0%} of {len(norms):,} records"
    return Finding(1.0, says, (Evidence(GRADIENT_NORM, where, 0.0, axis=norms.axis, part=norms.part),))
