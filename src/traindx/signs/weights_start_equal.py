"""Units that begin alike and stay alike."""

from typing import Annotated

from traindx.curves.inside import matrices
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.quantities import EQUAL_UNIT_SHARE
from traindx.run import Run


@sign(needs=(EQUAL_UNIT_SHARE,), severity=Severity.SERIOUS)
def weights_start_equal(
    run: Run, *, share: Annotated[float, "of a layer's units; bench/thresholds.md#init"] = 0.9
) -> Answer:
    """Units of a layer have equal weights, and training does not tell them apart."""
    layers = [one for one in matrices(run, EQUAL_UNIT_SHARE) if len(one.series) >= 2]
    if not layers:
        return CANNOT_TELL
    # A layer that begins at zero on purpose differs from unit to unit after one step.
    alike = [one for one in layers if float(one.series.values.min()) >= share]
    if not alike:
        return None
    worst = max(alike, key=lambda one: one.first)
    equal = float(worst.series.values[-1])
    says = f"{worst.layer.name}: {equal:.0%} of units have the weights of another, from the start on"
    return Finding(1.0, says, (worst.evidence(equal, share),))
