"""A loss that stops being a number before the training has begun to learn."""

from typing import Annotated

from traindx.curves.failure import failure
from traindx.finding import Answer, Evidence, Finding, Severity, sign
from traindx.format import count, step
from traindx.quantities import TRAIN_LOSS, VAL_LOSS
from traindx.run import Axis, Run


@sign(needs=((TRAIN_LOSS, VAL_LOSS),), severity=Severity.CRITICAL)
def fails_in_first_steps(
    run: Run,
    *,
    points: Annotated[int, "finite points before; bench/thresholds.md#first-steps"] = 20,
) -> Answer:
    """The loss stops being a number within the first steps."""
    fails = failure(run)
    if fails is None:
        return None
    stepwise = fails.series.axis is Axis.STEP
    covered = fails.step - float(fails.series.steps[0])
    early = len(fails.before) <= points and covered <= 10 * points if stepwise else len(fails.before) <= 1
    if not early:
        return None
    says = f"the loss stops being a number after {count(len(fails.before), 'finite value')},"
    says += f" at {fails.series.axis.value} {step(fails.step)}"
    evidence = Evidence(fails.series.quantity, (fails.step, fails.step), float("nan"), axis=fails.series.axis)
    return Finding(1.0, says, (evidence,))
