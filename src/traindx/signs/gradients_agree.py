"""Gradients that keep saying the same."""

from typing import Annotated

import numpy as np

from traindx.curves.inside import looked, seen_in
from traindx.finding import CANNOT_TELL, Answer, Finding, sign
from traindx.quantities import GRADIENT_AGREEMENT
from traindx.run import Run


@sign(needs=(GRADIENT_AGREEMENT,))
def gradients_agree(
    run: Run,
    *,
    cosine: Annotated[float, "of two steps in a row; bench/thresholds.md#agreement"] = 0.8,
    looks: Annotated[int, "fewest looks; bench/thresholds.md#few-looks"] = 5,
) -> Answer:
    """The gradient points the same way step after step, so that longer steps would get further."""
    series = looked(run, GRADIENT_AGREEMENT)
    if series is None or len(series) < looks:
        return CANNOT_TELL
    middle = float(np.median(series.values))
    if middle < cosine:
        return None
    says = f"gradients of two steps in a row point the same way (median cosine {middle:.2f})"
    return Finding(
        min(1.0, 0.4 + 0.6 * (middle - cosine) / (1 - cosine)), says, (seen_in(series, middle, cosine),)
    )
