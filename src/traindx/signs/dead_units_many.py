"""Units that are zero for every input."""

from typing import Annotated

import numpy as np

from traindx.curves.inside import by_layer, seen_in
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.quantities import ACTIVATION_ZERO_SHARE, DEAD_UNIT_SHARE
from traindx.run import Run, Series


@sign(needs=((DEAD_UNIT_SHARE, ACTIVATION_ZERO_SHARE),), severity=Severity.SERIOUS)
def dead_units_many(
    run: Run,
    *,
    share: Annotated[float, "of a layer's units; bench/thresholds.md#units"] = 0.5,
    looks: Annotated[int, "fewest looks; bench/thresholds.md#few-looks"] = 2,
) -> Answer:
    """In some layer most units have been zero for every input, over many batches."""
    layers = [one for one in by_layer(run, DEAD_UNIT_SHARE) if len(one) >= looks]
    # Units are followed over many rows; a layer without any output but zero needs no following.
    layers += [one for one in by_layer(run, ACTIVATION_ZERO_SHARE) if len(one) > looks and _is_silent(one)]
    if not layers:
        return CANNOT_TELL
    worst = max(layers, key=lambda one: float(one.values[-1]))
    dead = float(worst.values[-1])
    if dead < share:
        return None
    since = float(worst.steps[int(np.argmax(worst.values >= share))])
    says = f"{worst.layer}: {dead:.0%} of units have been zero for every input since step {since:,.0f}"
    says += f" (limit {share:.0%})"
    evidence = seen_in(worst, dead, share, (since, float(worst.steps[-1])))
    return Finding(min(1.0, 0.4 + 0.6 * (dead - share) / (0.9 - share)), says, (evidence,))


def _is_silent(share: Series) -> bool:
    """Whether a layer gave nothing but zeros at every look."""
    return bool((share.values == 1).all())
