"""Gradients that are enormous before anything has moved."""

from typing import Annotated

from traindx.curves.inside import graded, matrices
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.format import number
from traindx.quantities import GRADIENT_NORM, WEIGHT_NORM
from traindx.run import Run


@sign(needs=(GRADIENT_NORM, WEIGHT_NORM), severity=Severity.WARNING)
def gradient_starts_huge(
    run: Run,
    *,
    ratio: Annotated[float, "gradient over weight, by norm; bench/thresholds.md#first-gradient"] = 30.0,
) -> Answer:
    """The first gradient is many times as large as the weights it is to change."""
    sizes = {one.layer.name: one.first for one in matrices(run, WEIGHT_NORM) if one.series.steps[0] <= 1}
    found = [
        (one, one.first / sizes[one.layer.name])
        for one in matrices(run, GRADIENT_NORM)
        if sizes.get(one.layer.name, 0.0) > 0 and one.series.steps[0] <= 1
    ]
    if not found:
        return CANNOT_TELL
    worst, most = max(found, key=lambda pair: pair[1])
    if most < ratio:
        return None
    says = f"at step 1 the gradient of {worst.layer.name} is {number(most)} times its weights, by norm"
    return Finding(graded(most, ratio, 100 * ratio), says, (worst.evidence(worst.first),))
