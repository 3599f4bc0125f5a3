"""Outputs that grow from layer to layer."""

from typing import Annotated

from traindx.curves.depth import swelling
from traindx.curves.inside import seen_in
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.quantities import ACTIVATION_STD
from traindx.run import Run


@sign(needs=(ACTIVATION_STD,), severity=Severity.WARNING)
def activations_swell_over_depth(
    run: Run,
    *,
    decades: Annotated[float, "powers of ten from first to last layers; bench/thresholds.md#depth"] = 1.5,
) -> Answer:
    """Outputs grow by orders of magnitude from the first layers to the last, from the start."""
    swell = swelling(run)
    if swell is None:
        return CANNOT_TELL
    if swell.growth < decades:
        return None
    says = f"the outputs of {swell.last.layer} spread 10^{swell.growth:.1f} times larger"
    says += f" than those of {swell.first.layer}"
    strength = min(1.0, 0.4 + 0.6 * (swell.growth - decades) / 2)
    return Finding(strength, says, (seen_in(swell.last, float(swell.last.values[0])),))
