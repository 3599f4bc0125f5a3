"""Dropout that leaves little."""

from typing import Annotated

from traindx.curves.stated import fact_evidence, stated_number
from traindx.facts import DROPOUT, MODEL_PLACE
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.run import Run


@sign(needs=(DROPOUT,), severity=Severity.WARNING)
def dropout_extreme(
    run: Run, *, share: Annotated[float, "of units; bench/thresholds.md#dropout"] = 0.7
) -> Answer:
    """A dropout drops most of what enters it."""
    value = stated_number(run, DROPOUT)
    if value is None:
        return CANNOT_TELL
    if not share <= value <= 1:
        return None
    says = f"a dropout of {value:g} keeps {1 - value:.0%} of the units (usual are 50 to 90 %)"
    strength = min(1.0, 0.4 + 0.6 * (value - share) / 0.2)
    return Finding(strength, says, (fact_evidence(run, DROPOUT, MODEL_PLACE, limit=share),))
