"""A softmax that has nothing to choose from."""

from traindx.curves.inside import looked, seen_in
from traindx.curves.stated import fact_evidence, stated_word
from traindx.facts import LOSS_PLACE, OUTPUT_ACTIVATION
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.quantities import PREDICTION_MAX, PREDICTION_MIN
from traindx.run import Run


@sign(needs=(OUTPUT_ACTIVATION, PREDICTION_MIN, PREDICTION_MAX), severity=Severity.CRITICAL)
def softmax_over_one(run: Run) -> Answer:
    """A softmax over a single unit gives 1 whatever enters it."""
    low, high = looked(run, PREDICTION_MIN), looked(run, PREDICTION_MAX)
    if low is None or high is None:
        return CANNOT_TELL
    sure = {"softmax": 1.0, "log_softmax": 0.0}.get(stated_word(run, OUTPUT_ACTIVATION))
    if sure is None or not (low.values == sure).all() or not (high.values == sure).all():
        return None
    says = f"every prediction is {sure:g}: the softmax runs over a single unit"
    return Finding(1.0, says, (fact_evidence(run, OUTPUT_ACTIVATION, LOSS_PLACE), seen_in(low, sure)))
