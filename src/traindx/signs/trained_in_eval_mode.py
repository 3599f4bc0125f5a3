"""A model that trains as if it were being used."""

from typing import Annotated

from traindx.curves.modes import matters
from traindx.curves.stated import fact_evidence, stated_number
from traindx.facts import BACKWARD_PLACE, LOSS_PLACE, TRAINED_IN_EVAL_MODE
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.run import Run


@sign(needs=(TRAINED_IN_EVAL_MODE,), severity=Severity.SERIOUS)
def trained_in_eval_mode(
    run: Run, *, share: Annotated[float, "of training steps; bench/thresholds.md#habits"] = 0.3
) -> Answer:
    """The model is in eval mode while it trains, and its layers behave differently in it."""
    found = stated_number(run, TRAINED_IN_EVAL_MODE)
    if found is None:
        return CANNOT_TELL
    if found < share or not matters(run):
        return None
    says = f"the model was in eval mode in {found:.0%} of the training steps looked at"
    evidence = fact_evidence(run, TRAINED_IN_EVAL_MODE, LOSS_PLACE, BACKWARD_PLACE, limit=share)
    return Finding(min(1.0, 0.6 + 0.4 * found), says, (evidence,))
