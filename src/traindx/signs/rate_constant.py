"""A learning rate that is never lowered."""

from typing import Annotated

from traindx.curves.schedule import rate_of
from traindx.facts import SCHEDULE
from traindx.finding import CANNOT_TELL, Answer, Evidence, Finding, sign
from traindx.format import number
from traindx.quantities import LEARNING_RATE
from traindx.run import Run


@sign(needs=(LEARNING_RATE,))
def rate_constant(
    run: Run,
    *,
    kept: Annotated[float, "lowest later rate over the peak; bench/thresholds.md#constant"] = 0.8,
) -> Answer:
    """The learning rate is never lowered."""
    rate = rate_of(run)
    if rate is None:
        return CANNOT_TELL
    last = float(rate.values[-1])
    # The lowest after the peak, not only the last: restarts may end at the top.
    if float(rate.values[int(rate.values.argmax()) :].min()) < kept * rate.peak:
        return None
    stated = run.facts.get(SCHEDULE)
    says = f"the rate is {number(last)} at the end and never was above {number(rate.peak)}"
    says += f" (schedule: {stated})" if isinstance(stated, str) else ""
    where = (float(rate.series.steps[0]), float(rate.series.steps[-1]))
    evidence = Evidence(LEARNING_RATE, where, last, kept * rate.peak, rate.series.axis)
    return Finding(1.0, says, (evidence,))
