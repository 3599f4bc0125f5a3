"""Batches so large that little is updated."""

from typing import Annotated

from traindx.curves.inside import batches_per_epoch, graded, steps_taken
from traindx.curves.stated import fact_evidence, stated_number
from traindx.facts import BATCH_SIZE, LOADER_PLACE, TRAINING_SAMPLES
from traindx.finding import CANNOT_TELL, Answer, Finding, sign
from traindx.run import Run


@sign(needs=(BATCH_SIZE,))
def few_updates_per_epoch(
    run: Run,
    *,
    updates: Annotated[float, "optimizer steps in an epoch; bench/thresholds.md#batch"] = 10.0,
    total: Annotated[float, "optimizer steps in all; bench/thresholds.md#batch"] = 250.0,
    batch: Annotated[float, "samples in a batch; bench/thresholds.md#batch"] = 256.0,
) -> Answer:
    """The batch holds so much of the data that an epoch is a few steps, and the run few in all."""
    size, each, steps = stated_number(run, BATCH_SIZE), batches_per_epoch(run), steps_taken(run)
    if size is None or each is None or not steps:
        return CANNOT_TELL
    if each > updates or steps > total or size < batch:
        return None
    samples = stated_number(run, TRAINING_SAMPLES)
    says = f"a batch of {size:,.0f}" + (f" of {samples:,.0f} samples" if samples else "")
    says += f" makes {each:.0f} updates an epoch, {steps:,.0f} in all"
    strength = graded(updates / max(each, 1.0), 1.0, updates / 3)
    return Finding(strength, says, (fact_evidence(run, BATCH_SIZE, LOADER_PLACE),))
