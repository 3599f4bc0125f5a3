"""A model that is judged while it is still training."""

from typing import Annotated

from traindx.curves.modes import matters
from traindx.curves.stated import fact_evidence, stated_number
from traindx.facts import VALIDATED_IN_TRAIN_MODE, VALIDATION_PLACE
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.run import Run


@sign(needs=(VALIDATED_IN_TRAIN_MODE,), severity=Severity.SERIOUS)
def validated_in_train_mode(
    run: Run, *, share: Annotated[float, "of validation batches; bench/thresholds.md#habits"] = 0.3
) -> Answer:
    """The model is in train mode while it is validated, and its layers behave differently in it."""
    found = stated_number(run, VALIDATED_IN_TRAIN_MODE)
    if found is None:
        return CANNOT_TELL
    if found < share or not matters(run):
        return None
    says = f"the model was in train mode in {found:.0%} of the validation batches looked at"
    evidence = fact_evidence(run, VALIDATED_IN_TRAIN_MODE, VALIDATION_PLACE, limit=share)
    return Finding(min(1.0, 0.6 + 0.4 * found), says, (evidence,))
