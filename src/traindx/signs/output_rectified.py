"""An output that cannot be negative."""

from traindx.curves.inside import compares_numbers, looked, seen_in
from traindx.curves.stated import fact_evidence, stated_word
from traindx.facts import LOSS_PLACE, OUTPUT_ACTIVATION
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.format import number
from traindx.quantities import PREDICTION_MAX, TARGET_MIN
from traindx.run import Run


@sign(needs=(OUTPUT_ACTIVATION, TARGET_MIN), severity=Severity.SERIOUS)
def output_rectified(run: Run) -> Answer:
    """The output passes a ReLU, and targets are negative or every prediction is zero."""
    low, given = looked(run, TARGET_MIN), stated_word(run, OUTPUT_ACTIVATION)
    if low is None:
        return CANNOT_TELL
    if given != "relu" or not compares_numbers(run):
        return None
    least, highest = float(low.values.min()), looked(run, PREDICTION_MAX)
    rests = highest is not None and float(highest.values[-1]) == 0
    if least >= 0 and not rests:
        return None
    says = f"a ReLU makes the output, and targets go down to {number(least)}"
    if rests:
        says = "a ReLU makes the output, and every prediction of the last look is zero"
    return Finding(1.0, says, (fact_evidence(run, OUTPUT_ACTIVATION, LOSS_PLACE), seen_in(low, least, 0.0)))
