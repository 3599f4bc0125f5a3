"""Gradients of old steps that are still there."""

from typing import Annotated

from traindx.curves.stated import fact_evidence, stated_number
from traindx.facts import BACKWARD_PLACE, GRADIENTS_CLEARED, STEP_PLACE
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.run import Run


@sign(needs=(GRADIENTS_CLEARED,), severity=Severity.SERIOUS)
def gradients_carried_over(
    run: Run, *, cleared: Annotated[float, "share of steps; bench/thresholds.md#habits"] = 0.5
) -> Answer:
    """Gradients of the step before are not cleared, so that every step adds up all batches so far."""
    share = stated_number(run, GRADIENTS_CLEARED)
    if share is None:
        return CANNOT_TELL
    if share > cleared:
        return None
    says = f"{1 - share:.0%} of the steps looked at began with the gradients of the step before"
    return Finding(1.0, says, (fact_evidence(run, GRADIENTS_CLEARED, STEP_PLACE, BACKWARD_PLACE),))
