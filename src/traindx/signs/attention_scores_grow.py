"""Attention that becomes a choice of one."""

from typing import Annotated

import numpy as np

from traindx.curves.inside import by_layer, graded, last_part, seen_in
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.quantities import ATTENTION_LOGIT_RANGE
from traindx.run import Run


@sign(needs=(ATTENTION_LOGIT_RANGE,), severity=Severity.SERIOUS)
def attention_scores_grow(
    run: Run,
    *,
    reach: Annotated[float, "largest minus smallest score; bench/thresholds.md#attention"] = 30.0,
) -> Answer:
    """Attention scores of a query lie so far apart that the softmax picks one and passes no gradient."""
    layers = list(by_layer(run, ATTENTION_LOGIT_RANGE))
    if not layers:
        return CANNOT_TELL
    late = [float(np.median(last_part(one.values))) for one in layers]
    place = int(np.argmax(late))
    if late[place] < reach:
        return None
    worst = layers[place]
    says = f"{worst.layer}: attention scores of a query lie {late[place]:.0f} apart, {worst.values[0]:.1f} at"
    says += f" step {worst.steps[0]:,.0f} (limit {reach:g})"
    return Finding(graded(late[place], reach, 4 * reach), says, (seen_in(worst, late[place], reach),))
