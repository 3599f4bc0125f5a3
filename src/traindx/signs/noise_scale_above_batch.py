"""Gradients that are mostly noise."""

from typing import Annotated

import numpy as np

from traindx.curves.inside import graded, looked, seen_in
from traindx.curves.stated import stated_number
from traindx.facts import BATCH_SIZE
from traindx.finding import CANNOT_TELL, Answer, Finding, sign
from traindx.quantities import GRADIENT_NOISE_SCALE
from traindx.run import Run


@sign(needs=(GRADIENT_NOISE_SCALE, BATCH_SIZE))
def noise_scale_above_batch(
    run: Run,
    *,
    times: Annotated[float, "noise scale and batch size; bench/thresholds.md#batch"] = 20.0,
    looks: Annotated[int, "fewest looks; bench/thresholds.md#few-looks"] = 5,
) -> Answer:
    """The gradient's noise calls for far larger batches."""
    noise, batch = looked(run, GRADIENT_NOISE_SCALE), stated_number(run, BATCH_SIZE)
    if noise is None or not batch or len(noise) < looks:
        return CANNOT_TELL
    typical = float(np.median(noise.values))
    ratio = max(typical, 1e-9) / batch
    if ratio < times:
        return None
    says = f"a batch of about {typical:,.0f} would balance the gradient's noise; the batch is {batch:,.0f}"
    return Finding(graded(ratio, times, 10 * times), says, (seen_in(noise, typical, batch),))
