"""A run in float16, whose largest number is 65,504."""

import numpy as np

from traindx.curves.curve import whole
from traindx.facts import PRECISION
from traindx.finding import CANNOT_TELL, Answer, Evidence, Finding, sign
from traindx.quantities import LOSS_SCALE
from traindx.run import Run


@sign(needs=())
def precision_is_half(run: Run) -> Answer:
    """The run computes in float16."""
    stated = run.facts.get(PRECISION)
    text = str(stated).lower() if stated is not None else ""
    if any(word in text for word in ("bf16", "bfloat16", "32", "64")):
        return None
    # A loss scale is only used with float16.
    scaled = LOSS_SCALE in run and float(np.max(whole(run, LOSS_SCALE).finite.values, initial=0.0)) > 1
    named = "16" in text or "half" in text
    if not named and not scaled:
        return CANNOT_TELL
    says = f"precision {stated}" if named else "a loss scale is logged, which only float16 needs"
    return Finding(1.0, says, (Evidence(LOSS_SCALE, (0.0, 0.0), 65504.0),))
