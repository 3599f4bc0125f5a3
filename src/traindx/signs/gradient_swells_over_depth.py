"""Gradients that grow on their way back."""

from typing import Annotated

from traindx.curves.depth import over_depth
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.quantities import GRADIENT_NORM
from traindx.run import Run


@sign(needs=(GRADIENT_NORM,), severity=Severity.WARNING)
def gradient_swells_over_depth(
    run: Run,
    *,
    decades: Annotated[float, "powers of ten from last to first layers; bench/thresholds.md#depth"] = 1.5,
    layers: Annotated[int, "fewest weight matrices; bench/thresholds.md#depth"] = 4,
) -> Answer:
    """Gradients, measured against the weights, grow by orders of magnitude towards the first layers."""
    depth = over_depth(run)
    if depth is None or depth.layers < layers:
        return CANNOT_TELL
    if -depth.fading < decades:
        return None
    says = f"against its weights the gradient of {depth.first.layer.name} is 10^{-depth.fading:.1f} times"
    says += f" larger than that of {depth.last.layer.name}, over {depth.layers} layers"
    strength = min(1.0, 0.4 + 0.6 * (-depth.fading - decades) / 2)
    return Finding(strength, says, (depth.first.evidence(depth.first.early),))
