"""Training inputs that vary far more than what is validated on."""

from typing import Annotated

import numpy as np

from traindx.curves.inside import graded, looked, seen_in
from traindx.finding import CANNOT_TELL, Answer, Finding, sign
from traindx.format import number
from traindx.quantities import INPUT_STD
from traindx.run import Run


@sign(needs=(INPUT_STD,))
def training_inputs_wider(
    run: Run, *, ratio: Annotated[float, "of the spreads; bench/thresholds.md#mismatch"] = 1.15
) -> Answer:
    """Training inputs spread wider than validation inputs, as noise that is added to them makes them."""
    std, other_std = looked(run, INPUT_STD), looked(run, INPUT_STD, "validation")
    if std is None or other_std is None:
        return CANNOT_TELL
    here, there = float(np.median(std.values)), float(np.median(other_std.values))
    if there <= 0 or here < ratio * there:
        return None
    says = f"training inputs have a spread of {number(here)}, validation inputs {number(there)}"
    return Finding(graded(here / there, ratio, 3 * ratio), says, (seen_in(std, here, ratio * there),))
