"""Units that never woke up."""

from typing import Annotated

from traindx.curves.inside import by_layer, seen_in
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.quantities import DEAD_UNIT_SHARE
from traindx.run import Run


@sign(needs=(DEAD_UNIT_SHARE,), severity=Severity.WARNING)
def dead_units_from_start(
    run: Run, *, share: Annotated[float, "of a layer's units; bench/thresholds.md#units"] = 0.5
) -> Answer:
    """Most units of some layer are zero for every input from the first looks on."""
    layers = list(by_layer(run, DEAD_UNIT_SHARE))
    if not layers:
        return CANNOT_TELL
    worst = max(layers, key=lambda one: float(one.values[0]))
    if float(worst.values[0]) < share:
        return None
    says = f"{worst.layer}: {worst.values[0]:.0%} of units are zero at step {worst.steps[0]:,.0f} already"
    evidence = seen_in(worst, float(worst.values[0]), share)
    return Finding(min(1.0, float(worst.values[0])), says, (evidence,))
