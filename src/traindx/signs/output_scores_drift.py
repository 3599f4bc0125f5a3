"""Scores that leave the range in which a softmax can tell them apart."""

from typing import Annotated

import numpy as np

from traindx.curves.inside import compares_numbers, graded, last_part, looked, seen_in
from traindx.facts import LOSS_FUNCTION
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.format import number
from traindx.quantities import PREDICTION_MAX, PREDICTION_MIN
from traindx.run import Run

_MASKED = 1e5
_OF_SCORES = ("cross_entropy", "binary_cross_entropy_with_logits", "multilabel_soft_margin_loss")


@sign(needs=(PREDICTION_MIN, PREDICTION_MAX, LOSS_FUNCTION), severity=Severity.WARNING)
def output_scores_drift(
    run: Run,
    *,
    size: Annotated[float, "largest score; bench/thresholds.md#logits"] = 60.0,
    growth: Annotated[float, "largest score over the first; bench/thresholds.md#logits"] = 5.0,
) -> Answer:
    """The scores a model gives for its classes grow far beyond what a softmax needs."""
    low, high = looked(run, PREDICTION_MIN), looked(run, PREDICTION_MAX)
    if low is None or high is None or len(high) < 3 or len(low) != len(high):
        return CANNOT_TELL
    if compares_numbers(run) or run.facts.get(LOSS_FUNCTION) not in _OF_SCORES:
        return None
    reach = np.maximum(np.abs(low.values), np.abs(high.values))
    late, first = float(np.median(last_part(reach))), float(reach[0])
    # What is masked out is set to a thousand millions below zero, and no score.
    if late < size or late > _MASKED:
        return None
    says = f"scores reach {number(late)}, from {number(first)} at first; a difference of 20 is certainty"
    # Scores that were large from the start may be meant so, as a temperature makes them.
    strength = graded(late, size, 10 * size) * (1.0 if late > growth * first else 0.6)
    return Finding(strength, says, (seen_in(high, late, size),))
