"""Running averages that have not arrived when the run ends."""

from typing import Annotated

from traindx.curves.inside import steps_taken
from traindx.curves.stated import fact_evidence, stated_number
from traindx.facts import AVERAGING_MOMENTUM, MODEL_PLACE
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.run import Run


@sign(needs=(AVERAGING_MOMENTUM,), severity=Severity.WARNING)
def running_averages_lag(
    run: Run,
    *,
    left: Annotated[float, "of the averages' first values; bench/thresholds.md#averages"] = 0.1,
    fewest: Annotated[float, "steps; bench/thresholds.md#averages"] = 50.0,
) -> Answer:
    """What batch normalisation uses in eval mode still holds much of the values it was made with."""
    momentum, steps = stated_number(run, AVERAGING_MOMENTUM), steps_taken(run)
    if momentum is None or not 0 <= momentum <= 1 or not steps or steps < fewest:
        return CANNOT_TELL
    remains = (1 - momentum) ** steps
    if remains < left:
        return None
    says = f"with momentum {momentum:g}, {remains:.0%} of the running averages are what they began with"
    says += f" after {steps:,.0f} steps (0.1 is usual)"
    evidence = fact_evidence(run, AVERAGING_MOMENTUM, MODEL_PLACE)
    return Finding(min(1.0, 0.5 + remains), says, (evidence,))
