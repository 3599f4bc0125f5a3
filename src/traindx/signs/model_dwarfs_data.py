"""More parameters than the data can pin down."""

from typing import Annotated

from traindx.curves.inside import graded
from traindx.curves.stated import fact_evidence, stated_number
from traindx.facts import PARAMETERS, TRAINING_SAMPLES
from traindx.finding import CANNOT_TELL, Answer, Finding, sign
from traindx.run import Run


@sign(needs=(PARAMETERS, TRAINING_SAMPLES))
def model_dwarfs_data(
    run: Run, *, ratio: Annotated[float, "parameters per sample; bench/thresholds.md#samples"] = 50.0
) -> Answer:
    """The model has many parameters for each training sample."""
    parameters, samples = stated_number(run, PARAMETERS), stated_number(run, TRAINING_SAMPLES)
    if not parameters or not samples:
        return CANNOT_TELL
    each = parameters / samples
    if each < ratio:
        return None
    says = f"{parameters:,.0f} parameters learn from {samples:,.0f} samples, {each:,.0f} for each"
    return Finding(graded(each, ratio, 20 * ratio), says, (fact_evidence(run, TRAINING_SAMPLES),))
