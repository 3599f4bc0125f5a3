"""A handful of samples."""

from typing import Annotated

from traindx.curves.inside import graded
from traindx.curves.stated import fact_evidence, stated_number
from traindx.facts import LOADER_PLACE, TRAINING_SAMPLES
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.run import Run


@sign(needs=(TRAINING_SAMPLES,), severity=Severity.WARNING)
def data_tiny(
    run: Run, *, samples: Annotated[int, "training samples; bench/thresholds.md#samples"] = 64
) -> Answer:
    """The training data is a handful of samples."""
    rows = stated_number(run, TRAINING_SAMPLES)
    if rows is None or rows <= 0:
        return CANNOT_TELL
    if rows > samples:
        return None
    says = f"there are {rows:.0f} training samples"
    return Finding(
        graded(samples / rows, 1.0, 3.2),
        says,
        (fact_evidence(run, TRAINING_SAMPLES, LOADER_PLACE, limit=samples),),
    )
