"""Bounded activations pressed against their ends."""

from typing import Annotated

import numpy as np

from traindx.curves.bounded_layers import hidden_bounded
from traindx.curves.inside import last_part, seen_in
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.quantities import SATURATED_SHARE
from traindx.run import Run


@sign(needs=(SATURATED_SHARE,), severity=Severity.SERIOUS)
def units_saturate(
    run: Run, *, share: Annotated[float, "of a layer's outputs; bench/thresholds.md#units"] = 0.5
) -> Answer:
    """In some hidden layer most outputs of a bounded activation lie at its flat ends."""
    layers = hidden_bounded(run)
    if not layers:
        return CANNOT_TELL
    late = [float(np.median(last_part(one.values))) for one in layers]
    place = int(np.argmax(late))
    if late[place] < share:
        return None
    worst = layers[place]
    says = f"{worst.layer}: {late[place]:.0%} of outputs lie at the flat ends of the activation"
    says += f" (limit {share:.0%})"
    evidence = seen_in(worst, late[place], share)
    return Finding(min(1.0, 0.4 + 0.6 * (late[place] - share) / (0.9 - share)), says, (evidence,))
