"""Samples that come in order."""

from dataclasses import replace
from typing import Annotated

import numpy as np

from traindx.curves.inside import batches_per_epoch, looked, seen_in
from traindx.curves.order import SORTED, neighbours_agree
from traindx.curves.stated import place_of
from traindx.facts import LOADER_PLACE, SHUFFLE
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.quantities import NEIGHBOUR_AGREEMENT, REPEATED_SHARE
from traindx.run import Run


@sign(needs=(NEIGHBOUR_AGREEMENT,), severity=Severity.WARNING)
def batches_sorted(
    run: Run,
    *,
    agreement: Annotated[float, "excess of equal neighbours; bench/thresholds.md#order"] = SORTED,
    looks: Annotated[int, "fewest looks; bench/thresholds.md#few-looks"] = 4,
) -> Answer:
    """Neighbours in a batch share their target far more often than in random order."""
    order, middle = looked(run, NEIGHBOUR_AGREEMENT), neighbours_agree(run, looks)
    if order is None or middle is None:
        return CANNOT_TELL
    if _holds_all(run):
        return None
    if middle < agreement:
        return None
    says = f"neighbours in a batch share their target: {middle:.2f}, where 0 is random order and 1 is sorted"
    says += ", and the loader does not shuffle" if run.facts.get(SHUFFLE) is False else ""
    strength = min(1.0, 0.5 + 0.5 * (middle - agreement) / 0.5)
    evidence = seen_in(order, middle, agreement)
    return Finding(strength, says, (replace(evidence, place=place_of(run, LOADER_PLACE)),))


def _holds_all(run: Run) -> bool:
    """Whether a batch is all of the data, so that its order means nothing."""
    again, batches = looked(run, REPEATED_SHARE), batches_per_epoch(run)
    same = again is not None and float(np.median(again.values)) > 0.9
    return same or (batches is not None and batches <= 1)
