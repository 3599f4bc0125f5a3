"""Momentum that remembers for hundreds of steps."""

from typing import Annotated

from traindx.curves.stated import fact_evidence, stated_number
from traindx.facts import MOMENTUM, OPTIMIZER_PLACE
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.run import Run


@sign(needs=(MOMENTUM,), severity=Severity.WARNING)
def momentum_extreme(
    run: Run, *, momentum: Annotated[float, "coefficient; bench/thresholds.md#momentum"] = 0.97
) -> Answer:
    """The momentum averages over far more steps than is usual."""
    value = stated_number(run, MOMENTUM)
    if value is None:
        return CANNOT_TELL
    if not momentum <= value:
        return None
    memory = 1 / max(1 - value, 1e-6)
    says = f"momentum {value:g} adds up about {memory:.0f} gradients (0.9 adds up 10)"
    strength = min(1.0, 0.5 + 0.5 * (value - momentum) / (1 - momentum))
    return Finding(strength, says, (fact_evidence(run, MOMENTUM, OPTIMIZER_PLACE, limit=momentum),))
