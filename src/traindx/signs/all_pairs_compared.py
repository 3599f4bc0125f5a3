"""An accuracy over all pairs of predictions and targets."""

from traindx.curves.stated import fact_evidence, is_recording
from traindx.facts import METRIC_PLACE, PAIRS_COMPARED
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.run import Run


@sign(needs=(), severity=Severity.WARNING)
def all_pairs_compared(run: Run) -> Answer:
    """The program compares every prediction with every target in place of its own."""
    if run.facts.get(PAIRS_COMPARED) is not True:
        return None if is_recording(run) else CANNOT_TELL
    says = "predictions (N, 1) are compared with targets (N,), which compares each with each"
    return Finding(1.0, says, (fact_evidence(run, PAIRS_COMPARED, METRIC_PLACE),))
