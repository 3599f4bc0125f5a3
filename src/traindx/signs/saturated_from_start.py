"""Bounded activations at their ends before anything was learned."""

from typing import Annotated

import numpy as np

from traindx.curves.bounded_layers import hidden_bounded
from traindx.curves.inside import seen_in
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.quantities import SATURATED_SHARE
from traindx.run import Run


@sign(needs=(SATURATED_SHARE,), severity=Severity.WARNING)
def saturated_from_start(
    run: Run, *, share: Annotated[float, "of a layer's outputs; bench/thresholds.md#units"] = 0.5
) -> Answer:
    """Most outputs of a bounded hidden activation lie at its flat ends at the first look."""
    layers = hidden_bounded(run)
    if not layers:
        return CANNOT_TELL
    first = [float(one.values[0]) for one in layers]
    place = int(np.argmax(first))
    if first[place] < share:
        return None
    worst = layers[place]
    says = f"{worst.layer}: {first[place]:.0%} of outputs lie at the flat ends at step {worst.steps[0]:,.0f}"
    return Finding(min(1.0, first[place]), says, (seen_in(worst, first[place], share),))
