"""Predictions that do not depend on the input."""

from typing import Annotated

import numpy as np

from traindx.curves.inside import last_part, looked, seen_in
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.quantities import PREDICTION_MAX, PREDICTION_MEAN, PREDICTION_MIN, PREDICTION_STD, TARGET_STD
from traindx.run import Run


@sign(needs=(PREDICTION_STD, TARGET_STD), severity=Severity.SERIOUS)
def predictions_constant(
    run: Run,
    *,
    share: Annotated[float, "of the spread there could be; bench/thresholds.md#one-answer"] = 0.005,
) -> Answer:
    """Late in the run the predictions of a batch hardly differ from sample to sample."""
    spread, targets = looked(run, PREDICTION_STD), looked(run, TARGET_STD)
    if spread is None or targets is None or len(spread) < 3:
        return CANNOT_TELL
    late = float(np.median(last_part(spread.values)))
    # Scores have a scale of their own: what they spread over the classes counts as well.
    scale = max(float(np.median(last_part(targets.values))), _size(run))
    if scale <= 0 or not np.isfinite(scale):
        return CANNOT_TELL
    if late > share * scale:
        return None
    says = f"predictions vary by {late:.1g} over a batch, their targets by {np.median(targets.values):.2g}"
    return Finding(1.0, says, (seen_in(spread, late, share * scale),))


def _size(run: Run) -> float:
    found = [looked(run, one) for one in (PREDICTION_MEAN, PREDICTION_MIN, PREDICTION_MAX)]
    return max(
        (abs(float(np.median(last_part(one.values)))) for one in found if one is not None), default=0.0
    )
