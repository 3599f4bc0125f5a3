"""Weights that begin at nothing."""

from typing import Annotated

import numpy as np

from traindx.curves.gains import starting_gains
from traindx.curves.inside import graded
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.quantities import WEIGHT_NORM
from traindx.run import Run


@sign(needs=(WEIGHT_NORM,), severity=Severity.SERIOUS)
def weights_start_tiny(
    run: Run, *, gain: Annotated[float, "over fan-in scaling; bench/thresholds.md#init"] = 0.03
) -> Answer:
    """The weights of most layers begin at zero or close to it."""
    gains = starting_gains(run)
    if not gains:
        return CANNOT_TELL
    # Most layers: the last one, or the last of each residual branch, may begin at zero on purpose.
    middle = float(np.median([one.gain for one in gains]))
    if middle >= gain or len(gains) < 2:
        return None
    worst = min(gains, key=lambda one: one.gain)
    says = f"the typical layer begins with weights {middle:.1g} times as large as 1 / sqrt(inputs)"
    says += f", {worst.matrix.layer.name} {worst.gain:.1g} times (usual are 0.6 to 1.4)"
    strength = graded(gain / max(middle, 1e-12), 1.0, 10.0)
    return Finding(strength, says, (worst.matrix.evidence(worst.matrix.first),))
