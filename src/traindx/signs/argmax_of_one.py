"""A choice among one."""

from traindx.curves.stated import fact_evidence, is_recording
from traindx.facts import ARGMAX_OVER_ONE, METRIC_PLACE
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.run import Run


@sign(needs=(), severity=Severity.WARNING)
def argmax_of_one(run: Run) -> Answer:
    """The program takes the largest of a single output, which is always the first."""
    if run.facts.get(ARGMAX_OVER_ONE) is not True:
        return None if is_recording(run) else CANNOT_TELL
    says = "argmax runs over a single output: it answers 0 for every sample"
    return Finding(1.0, says, (fact_evidence(run, ARGMAX_OVER_ONE, METRIC_PLACE),))
