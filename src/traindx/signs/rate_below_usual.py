"""A rate that few recipes go down to."""

from typing import Annotated

from traindx.curves.inside import graded
from traindx.curves.stated import fact_evidence
from traindx.curves.usual_rates import peak_and_usual
from traindx.facts import OPTIMIZER, OPTIMIZER_PLACE
from traindx.finding import CANNOT_TELL, Answer, Finding, sign
from traindx.quantities import LEARNING_RATE
from traindx.run import Run


@sign(needs=(LEARNING_RATE, OPTIMIZER))
def rate_below_usual(
    run: Run, *, times: Annotated[float, "below the usual rates; bench/thresholds.md#usual-rates"] = 1.0
) -> Answer:
    """The learning rate never comes near those that the optimizer is usually run at."""
    found = peak_and_usual(run)
    if found is None:
        return CANNOT_TELL
    peak, least, most = found
    if peak * times >= least:
        return None
    says = f"{run.facts[OPTIMIZER]} runs at {peak:g} at the most; {least:g} to {most:g} are usual"
    strength = graded(least / peak, times, 100 * times)
    return Finding(strength, says, (fact_evidence(run, OPTIMIZER, OPTIMIZER_PLACE),))
