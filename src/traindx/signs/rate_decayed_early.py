"""A learning rate that is gone before the run is over."""

from typing import Annotated

import numpy as np

from traindx.curves.objective import loss_of
from traindx.curves.schedule import rate_of
from traindx.curves.settled import at_floor
from traindx.finding import CANNOT_TELL, Answer, Evidence, Finding, Severity, sign
from traindx.format import number
from traindx.quantities import LEARNING_RATE
from traindx.run import Run


@sign(needs=(LEARNING_RATE,), severity=Severity.WARNING)
def rate_decayed_early(
    run: Run,
    *,
    nothing: Annotated[float, "rate over its peak; bench/thresholds.md#decayed-early"] = 0.01,
    left: Annotated[float, "share of the run that is left; bench/thresholds.md#decayed-early"] = 0.3,
    points: Annotated[int, "fewest points of the loss; bench/thresholds.md#few-points"] = 10,
) -> Answer:
    """The learning rate decays to nothing while the loss still falls, long before the end."""
    rate, loss = rate_of(run), loss_of(run)
    if rate is None or loss is None or len(loss) < points:
        return CANNOT_TELL
    top = int(rate.values.argmax())
    gone = np.flatnonzero(rate.values[top:] <= nothing * rate.peak)
    if not len(gone):
        return None
    when = float(rate.shares[top + int(gone[0])])
    if (
        1 - when < left
        or at_floor(run, loss, left=0.03, perfect=0.99)
        or float(rate.values[top + int(gone[0]) :].max()) > 0.05 * rate.peak
    ):
        return None
    # The loss must have been moving until then: otherwise the decay did not stop anything.
    before, then = loss.level_at(max(when - 0.2, 0.0)), loss.level_at(when)
    if before - then < max(3 * loss.end_noise, 0.03 * loss.progress):
        return None
    step = float(rate.series.steps[top + int(gone[0])])
    says = f"the rate is below {nothing:.0%} of its peak {number(rate.peak)} with {1 - when:.0%} of the run"
    says += f" left; until then the loss fell, to {loss.text(then)}, and it ends at {loss.text(loss.end)}"
    where = (step, float(rate.series.steps[-1]))
    evidence = Evidence(LEARNING_RATE, where, float(rate.values[-1]), nothing * rate.peak, rate.series.axis)
    return Finding(min(1.0, 0.4 + (1 - when)), says, (evidence,))
