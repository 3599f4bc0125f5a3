"""A loss that grows with the size of the batch."""

import math
from typing import Annotated

from traindx.curves.stated import fact_evidence, stated_number, stated_word
from traindx.facts import BATCH_SIZE, LOSS_FACTOR, LOSS_PLACE, LOSS_REDUCTION, OUTPUTS
from traindx.finding import Answer, Finding, sign
from traindx.run import Run

_SAME = 0.01
"""Factors that differ by less are the same."""


@sign(needs=(LOSS_REDUCTION,))
def loss_summed(
    run: Run, *, factor: Annotated[float, "loss over its mean; bench/thresholds.md#reduction"] = 8.0
) -> Answer:
    """The loss is summed over its samples, so that the gradient grows with the batch."""
    times = stated_number(run, LOSS_FACTOR) or 1.0
    batch = stated_number(run, BATCH_SIZE) or 1.0
    # Divided by the batch afterwards, a sum is a mean again.
    summed = stated_word(run, LOSS_REDUCTION) == "sum" and times * batch >= factor
    if not summed and not (stated_word(run, LOSS_REDUCTION) != "sum" and times >= factor):
        return None
    outputs = stated_number(run, OUTPUTS) or 1.0
    if not summed and math.isclose(times, outputs, rel_tol=_SAME) and not math.isclose(times, batch):
        # Summed over the outputs of a sample, as likelihoods are, and averaged over samples.
        return None
    says = (
        f"the loss is the sum over a batch of {batch:g}"
        if summed
        else f"the loss is {times:g} times its mean"
    )
    says += ", so that steps are that much longer than with the mean"
    return Finding(1.0, says, (fact_evidence(run, LOSS_REDUCTION, LOSS_PLACE),))
