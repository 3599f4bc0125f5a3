"""Samples that come in order."""

from dataclasses import replace
from typing import Annotated

import numpy as np

from traindx.curves.inside import looked, seen_in
from traindx.curves.stated import place_of
from traindx.facts import LOADER_PLACE, SHUFFLE
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity
from traindx.quantities import NEIGHBOUR_AGREEMENT
from traindx.run import Run
from traindx.sign import sign


@sign(needs=(NEIGHBOUR_AGREEMENT,), severity=Severity.WARNING)
def batches_sorted(
    run: Run,
    *,
    agreement: Annotated[float, "excess of equal neighbours; bench/thresholds.md#order"] = 0.3,
    looks: Annotated[int, "fewest looks; bench/thresholds.md#few-looks"] = 4,
) -> Answer:
    """Neighbours in a batch share their target far more often than in random order."""
    order = looked(run, NEIGHBOUR_AGREEMENT)
    if order is None or len(order) < looks:
        return CANNOT_TELL
    # The first batch of sorted data cannot tell: it knows no other class yet.
    middle = float(np.median(order.values[1:]))
    if middle < agreement:
        return None
    says = f"neighbours in a batch share their target: {middle:.2f}, where 0 is random order and 1 is sorted"
    says += ", and the loader does not shuffle" if run.facts.get(SHUFFLE) is False else ""
    strength = min(1.0, 0.5 + 0.5 * (middle - agreement) / 0.5)
    evidence = seen_in(order, middle, agreement)
    return Finding(strength, says, (replace(evidence, place=place_of(run, LOADER_PLACE)),))
