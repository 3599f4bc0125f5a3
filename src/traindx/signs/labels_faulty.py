"""Labels that the loss function cannot take."""

from traindx.curves.stated import fact_evidence, is_recording
from traindx.facts import LABEL_FAULT, LOSS_PLACE
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.run import Run


@sign(needs=(), severity=Severity.CRITICAL)
def labels_faulty(run: Run) -> Answer:
    """Targets lie outside of what the loss function and the outputs allow."""
    fault = run.facts.get(LABEL_FAULT)
    if not isinstance(fault, str) or not fault:
        return None if is_recording(run) else CANNOT_TELL
    return Finding(1.0, fault, (fact_evidence(run, LABEL_FAULT, LOSS_PLACE),))
