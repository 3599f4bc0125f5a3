"""A loss that is maximised."""

from traindx.curves.stated import fact_evidence, stated_number
from traindx.facts import BACKWARD_PLACE, LOSS_FACTOR, LOSS_PLACE
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.run import Run


@sign(needs=(LOSS_FACTOR,), severity=Severity.CRITICAL)
def loss_negated(run: Run) -> Answer:
    """What enters the backward pass is the loss with its sign turned."""
    factor = stated_number(run, LOSS_FACTOR)
    if factor is None:
        return CANNOT_TELL
    if factor >= 0:
        return None
    says = f"the backward pass starts from {factor:g} times the loss, so that each step makes it larger"
    return Finding(1.0, says, (fact_evidence(run, LOSS_FACTOR, BACKWARD_PLACE, LOSS_PLACE),))
