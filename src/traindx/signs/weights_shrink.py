"""Weights that are pulled towards zero."""

from typing import Annotated

import numpy as np

from traindx.curves.inside import graded, matrices
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.quantities import WEIGHT_NORM
from traindx.run import Run


@sign(needs=(WEIGHT_NORM,), severity=Severity.WARNING)
def weights_shrink(
    run: Run,
    *,
    left: Annotated[float, "norm at the end over norm at the start; bench/thresholds.md#decay"] = 0.5,
    looks: Annotated[int, "fewest looks; bench/thresholds.md#few-looks"] = 3,
) -> Answer:
    """The weights of the typical layer lose much of their size."""
    layers = [one for one in matrices(run, WEIGHT_NORM) if len(one.series) >= looks and one.first > 0]
    if not layers:
        return CANNOT_TELL
    shares = {one.layer.name: float(one.series.values[-1]) / one.first for one in layers}
    middle = float(np.median(list(shares.values())))
    if middle > left:
        return None
    worst = min(layers, key=lambda one: shares[one.layer.name])
    says = f"the typical layer keeps {middle:.0%} of its weights by norm"
    says += f", {worst.layer.name} {shares[worst.layer.name]:.0%}"
    evidence = worst.evidence(float(worst.series.values[-1]), left * worst.first)
    return Finding(graded(left / max(middle, 1e-9), 1.0, 10.0), says, (evidence,))
