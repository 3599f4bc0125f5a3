"""Layers that add up to a single one."""

from traindx.curves.stated import fact_evidence, stated_number
from traindx.facts import LINEAR_LAYERS, MODEL_PLACE, NONLINEARITIES
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.run import Run


@sign(needs=(LINEAR_LAYERS, NONLINEARITIES), severity=Severity.SERIOUS)
def nonlinearity_missing(run: Run) -> Answer:
    """Several linear layers follow each other with nothing between that bends."""
    layers, bends = stated_number(run, LINEAR_LAYERS), stated_number(run, NONLINEARITIES)
    if layers is None or bends is None:
        return CANNOT_TELL
    if bends or layers < 2:
        return None
    says = f"{layers:g} linear layers and no activation between them make a linear model"
    return Finding(1.0, says, (fact_evidence(run, NONLINEARITIES, MODEL_PLACE),))
