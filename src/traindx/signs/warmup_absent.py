"""A run that begins at full rate."""

from typing import Annotated

from traindx.curves.schedule import rate_of
from traindx.facts import WARMUP_RATIO, WARMUP_STEPS
from traindx.finding import CANNOT_TELL, Answer, Evidence, Finding, sign
from traindx.format import number
from traindx.quantities import LEARNING_RATE
from traindx.run import Axis, Run


@sign(needs=(LEARNING_RATE,))
def warmup_absent(
    run: Run,
    *,
    share: Annotated[float, "first rate over the peak; bench/thresholds.md#warm-up"] = 0.9,
    begin: Annotated[int, "latest first step; bench/thresholds.md#warm-up"] = 50,
) -> Answer:
    """The learning rate begins at its peak, without a warm-up."""
    stated = [run.facts.get(fact) for fact in (WARMUP_STEPS, WARMUP_RATIO)]
    if any(isinstance(value, int | float) and value > 0 for value in stated):
        return None
    rate = rate_of(run)
    if rate is None or rate.series.axis is not Axis.STEP:
        # Logged once per epoch, a warm-up of some hundred steps would not show.
        return CANNOT_TELL
    first = float(rate.series.steps[0])
    if first > begin:
        # The first record is too late: a warm-up would lie before it.
        return CANNOT_TELL
    if float(rate.values[0]) < share * rate.peak:
        return None
    where = (first, first)
    says = f"the rate begins at {number(float(rate.values[0]))}; its peak is {number(rate.peak)}"
    return Finding(1.0, says, (Evidence(LEARNING_RATE, where, float(rate.values[0]), share * rate.peak),))
