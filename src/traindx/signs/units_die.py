"""Units that stop firing during training."""

from typing import Annotated

import numpy as np

from traindx.curves.inside import by_layer, seen_in
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.quantities import DEAD_UNIT_SHARE
from traindx.run import Run


@sign(needs=(DEAD_UNIT_SHARE,), severity=Severity.SERIOUS)
def units_die(
    run: Run,
    *,
    alive: Annotated[float, "share that is dead at first; bench/thresholds.md#units"] = 0.3,
    share: Annotated[float, "of a layer's units; bench/thresholds.md#units"] = 0.5,
) -> Answer:
    """Units of a layer fire at first, and most of them stop during training."""
    layers = [one for one in by_layer(run, DEAD_UNIT_SHARE) if len(one) > 1]
    if not layers:
        return CANNOT_TELL
    died = [one for one in layers if float(one.values[0]) <= alive and float(one.values[-1]) >= share]
    if not died:
        return None
    worst = max(died, key=lambda one: float(one.values[-1]))
    since = float(worst.steps[int(np.argmax(worst.values >= share))])
    says = f"{worst.layer}: {worst.values[0]:.0%} of units are dead at step {worst.steps[0]:,.0f}"
    says += f", {worst.values[-1]:.0%} at the end"
    return Finding(
        1.0, says, (seen_in(worst, float(worst.values[-1]), share, (since, float(worst.steps[-1]))),)
    )
