"""An accuracy of numbers that are never exactly right."""

from traindx.curves.stated import fact_evidence, is_recording
from traindx.facts import ACCURACY_OF_NUMBERS, METRIC_PLACE
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.run import Run


@sign(needs=(), severity=Severity.WARNING)
def accuracy_of_a_regression(run: Run) -> Answer:
    """The program measures by equality how well it predicts real numbers."""
    if run.facts.get(ACCURACY_OF_NUMBERS) is not True:
        return None if is_recording(run) else CANNOT_TELL
    says = "an accuracy counts predictions that equal their target, and the targets are real numbers"
    return Finding(1.0, says, (fact_evidence(run, ACCURACY_OF_NUMBERS, METRIC_PLACE),))
