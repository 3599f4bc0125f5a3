"""Dropout that does not rest."""

from typing import Annotated

from traindx.curves.stated import fact_evidence, stated_number
from traindx.facts import DROPOUT_IN_VALIDATION, MODEL_PLACE, VALIDATED_IN_TRAIN_MODE, VALIDATION_PLACE
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.run import Run


@sign(needs=(DROPOUT_IN_VALIDATION,), severity=Severity.WARNING)
def dropout_in_validation(
    run: Run, *, share: Annotated[float, "of validation batches; bench/thresholds.md#habits"] = 0.5
) -> Answer:
    """Dropout is active in validation although the model is in eval mode."""
    active = stated_number(run, DROPOUT_IN_VALIDATION)
    if active is None:
        return CANNOT_TELL
    # In train mode dropout is right to be active: then the mode is what is wrong.
    if active < share or (stated_number(run, VALIDATED_IN_TRAIN_MODE) or 0.0) > 0.5:
        return None
    says = f"dropout was active in {active:.0%} of the validation batches looked at, in eval mode"
    evidence = fact_evidence(run, DROPOUT_IN_VALIDATION, MODEL_PLACE, VALIDATION_PLACE, limit=share)
    return Finding(1.0, says, (evidence,))
