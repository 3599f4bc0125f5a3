"""Batches of a handful."""

from typing import Annotated

from traindx.curves.inside import graded
from traindx.curves.modes import normalises_over_batch
from traindx.curves.stated import fact_evidence, stated_number
from traindx.facts import BATCH_SIZE, LOADER_PLACE
from traindx.finding import CANNOT_TELL, Answer, Finding, sign
from traindx.run import Run


@sign(needs=(BATCH_SIZE,))
def batch_tiny(
    run: Run,
    *,
    samples: Annotated[float, "in a batch; bench/thresholds.md#batch"] = 4.0,
    normalised: Annotated[float, "in a batch that is normalised over; bench/thresholds.md#batch"] = 8.0,
) -> Answer:
    """A batch holds so few samples that they say little of the data, or of its mean and spread."""
    size = stated_number(run, BATCH_SIZE)
    if size is None or size < 1:
        return CANNOT_TELL
    by_batch = normalises_over_batch(run)
    limit = normalised if by_batch else samples
    if size > limit:
        return None
    says = f"a batch holds {size:.0f} samples" if size > 1 else "a batch holds a single sample"
    says += ", and the model normalises over them" if by_batch else ""
    evidence = fact_evidence(run, BATCH_SIZE, LOADER_PLACE, limit=limit)
    return Finding(graded(limit / size, 1.0, 4.0), says, (evidence,))
