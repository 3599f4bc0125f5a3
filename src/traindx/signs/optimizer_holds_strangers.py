"""An optimizer that trains something else."""

from traindx.curves.stated import fact_evidence, stated_number
from traindx.facts import OPTIMIZER_PLACE, STALE_PARAMETERS
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.format import count
from traindx.run import Run


@sign(needs=(STALE_PARAMETERS,), severity=Severity.SERIOUS)
def optimizer_holds_strangers(run: Run) -> Answer:
    """The optimizer holds parameters that are no part of the model in use."""
    strangers = stated_number(run, STALE_PARAMETERS)
    if strangers is None:
        return CANNOT_TELL
    if not strangers:
        return None
    says = f"the optimizer holds {count(round(strangers), 'parameter')} that the model does not use"
    return Finding(1.0, says, (fact_evidence(run, STALE_PARAMETERS, OPTIMIZER_PLACE),))
