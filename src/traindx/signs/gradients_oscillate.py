"""Gradients that turn round at every step."""

from typing import Annotated

import numpy as np

from traindx.curves.inside import looked, seen_in
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.quantities import GRADIENT_AGREEMENT
from traindx.run import Run


@sign(needs=(GRADIENT_AGREEMENT,), severity=Severity.WARNING)
def gradients_oscillate(
    run: Run,
    *,
    against: Annotated[float, "cosine of two steps in a row, turned; bench/thresholds.md#agreement"] = 0.15,
    looks: Annotated[int, "fewest looks; bench/thresholds.md#few-looks"] = 5,
) -> Answer:
    """The gradient points back where it came from, step after step."""
    series = looked(run, GRADIENT_AGREEMENT)
    if series is None or len(series) < looks:
        return CANNOT_TELL
    middle = float(np.median(series.values))
    if middle > -against:
        return None
    says = f"gradients of two steps in a row point against each other (median cosine {middle:.2f})"
    strength = min(1.0, 0.4 + 0.6 * (-middle - against) / 0.5)
    return Finding(strength, says, (seen_in(series, middle, -against),))
