"""Dropout on the answer itself."""

from traindx.curves.stated import fact_evidence, is_recording, stated_number
from traindx.facts import LOSS_PLACE, MODEL_PLACE, OUTPUT_DROPOUT
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.run import Run


@sign(needs=(), severity=Severity.SERIOUS)
def dropout_at_output(run: Run) -> Answer:
    """What enters the loss function has passed a dropout last."""
    share = stated_number(run, OUTPUT_DROPOUT)
    if share is None or share <= 0:
        return None if is_recording(run) else CANNOT_TELL
    says = f"a dropout of {share:g} sets that share of the predictions to zero before the loss sees them"
    return Finding(1.0, says, (fact_evidence(run, OUTPUT_DROPOUT, MODEL_PLACE, LOSS_PLACE),))
