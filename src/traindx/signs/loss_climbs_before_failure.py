"""What came before the first NaN: a climb."""

from typing import Annotated

from traindx.curves.failure import climb, failure
from traindx.finding import CANNOT_TELL, Answer, Evidence, Finding, Severity, sign
from traindx.format import number, step
from traindx.quantities import GRADIENT_NORM, TRAIN_LOSS, VAL_LOSS
from traindx.run import Run


@sign(needs=((TRAIN_LOSS, VAL_LOSS),), severity=Severity.CRITICAL)
def loss_climbs_before_failure(
    run: Run,
    *,
    clear: Annotated[float, "how clearly it climbs; bench/thresholds.md#climb"] = 1.0,
) -> Answer:
    """The loss or the gradient norm climbs before the loss stops being a number."""
    fails = failure(run)
    if fails is None:
        return None
    if len(fails.before) < 3:
        return CANNOT_TELL
    rise, pull = climb(fails.before), climb(fails.gradients)
    if max(rise, pull) < clear:
        return None
    axis = fails.series.axis
    where = (float(fails.before_steps[max(len(fails.before) - 6, 0)]), float(fails.before_steps[-1]))
    strength = min(1.0, max(rise, pull) / (1.5 * clear))
    if rise >= pull:
        last, lowest = float(fails.before[-1]), float(fails.before.min())
        says = (
            f"before {axis.value} {step(fails.step)} the loss climbs from {number(lowest)} to {number(last)}"
        )
        evidence = Evidence(fails.series.quantity, where, last, lowest, axis, fails.series.part)
    else:
        peak = float(fails.gradients[-5:].max())
        says = f"the gradient norm climbs to {number(peak)} before {axis.value} {step(fails.step)}"
        evidence = Evidence(GRADIENT_NORM, where, peak, axis=axis)
    return Finding(strength, says, (evidence,))
