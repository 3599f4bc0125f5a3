"""What came before the first NaN: nothing."""

from typing import Annotated

from traindx.curves.failure import climb, failure
from traindx.finding import CANNOT_TELL, Answer, Evidence, Finding, Severity, sign
from traindx.format import number, step
from traindx.quantities import TRAIN_LOSS, VAL_LOSS
from traindx.run import Run


@sign(needs=((TRAIN_LOSS, VAL_LOSS),), severity=Severity.CRITICAL)
def fails_without_warning(
    run: Run,
    *,
    clear: Annotated[float, "how clearly it climbs; bench/thresholds.md#climb"] = 0.9,
    points: Annotated[int, "finite points needed before; bench/thresholds.md#few-points"] = 5,
) -> Answer:
    """The loss is ordinary up to the moment it stops being a number."""
    fails = failure(run)
    if fails is None:
        return None
    if len(fails.before) < points:
        return CANNOT_TELL
    if max(climb(fails.before), climb(fails.gradients)) >= clear:
        return None
    last, axis = float(fails.before[-1]), fails.series.axis
    says = (
        f"the last loss before {axis.value} {step(fails.step)} is {number(last)}, as ordinary as those before"
    )
    if len(fails.gradients) >= points:
        says += ", and so is the gradient norm"
    where = (float(fails.before_steps[-1]), fails.step)
    return Finding(1.0, says, (Evidence(fails.series.quantity, where, last, axis=axis),))
