"""Weights that begin far too large."""

from typing import Annotated

import numpy as np

from traindx.curves.gains import starting_gains
from traindx.curves.inside import graded
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.quantities import WEIGHT_NORM
from traindx.run import Run


@sign(needs=(WEIGHT_NORM,), severity=Severity.SERIOUS)
def weights_start_far_off(
    run: Run, *, gain: Annotated[float, "over fan-in scaling; bench/thresholds.md#init"] = 5.0
) -> Answer:
    """Weights begin far larger than any initialisation that fits the size of their layer."""
    gains = starting_gains(run)
    if not gains:
        return CANNOT_TELL
    middle = float(np.median([one.gain for one in gains]))
    worst = max(gains, key=lambda one: one.gain)
    if middle < gain and worst.gain < 4 * gain:
        return None
    says = (
        f"{worst.matrix.layer.name} begins with weights {worst.gain:.0f} times as large as 1 / sqrt(inputs)"
    )
    says += f" (the typical layer {middle:.1f} times; usual are 0.6 to 1.4)"
    strength = graded(max(middle, worst.gain / 4), gain, 8 * gain)
    return Finding(strength, says, (worst.matrix.evidence(worst.matrix.first),))
