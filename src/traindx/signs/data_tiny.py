"""A handful of samples."""

from typing import Annotated

from traindx.curves.stated import fact_evidence, stated_number
from traindx.facts import CLASSES, LOADER_PLACE, TRAINING_SAMPLES
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity
from traindx.run import Run
from traindx.sign import sign


@sign(needs=(TRAINING_SAMPLES,), severity=Severity.WARNING)
def data_tiny(
    run: Run,
    *,
    samples: Annotated[int, "training samples; bench/thresholds.md#samples"] = 16,
    each: Annotated[int, "training samples per class; bench/thresholds.md#samples"] = 3,
) -> Answer:
    """The training data is a handful of samples."""
    rows, classes = stated_number(run, TRAINING_SAMPLES), stated_number(run, CLASSES)
    if rows is None:
        return CANNOT_TELL
    least = max(samples, each * classes if classes and classes <= 100 else 0)
    if rows <= 0 or rows > least:
        return None
    says = f"there are {rows:.0f} training samples"
    says += f" for {classes:.0f} classes" if classes else ""
    return Finding(1.0, says, (fact_evidence(run, TRAINING_SAMPLES, LOADER_PLACE, limit=least),))
