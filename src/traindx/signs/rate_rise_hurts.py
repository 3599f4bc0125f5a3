"""A loss that gets worse while the learning rate rises."""

from typing import Annotated

from traindx.curves.objective import loss_of
from traindx.curves.schedule import Rate, rate_of
from traindx.finding import CANNOT_TELL, Answer, Evidence, Finding, Severity, sign
from traindx.format import number
from traindx.quantities import LEARNING_RATE
from traindx.run import Run


@sign(needs=(LEARNING_RATE,), severity=Severity.WARNING)
def rate_rise_hurts(
    run: Run,
    *,
    rise: Annotated[float, "of the loss over its progress so far; bench/thresholds.md#rate-rise"] = 0.3,
    noises: Annotated[float, "rise over the noise of a level; bench/thresholds.md#noises"] = 5.0,
    points: Annotated[int, "fewest points of the loss; bench/thresholds.md#few-points"] = 10,
) -> Answer:
    """The loss rises while the learning rate is being raised."""
    rate, loss = rate_of(run), loss_of(run)
    if rate is None or loss is None or len(loss) < points:
        return CANNOT_TELL
    top = int(rate.values.argmax())
    if top == 0 or float(rate.values[0]) > 0.5 * rate.peak:
        return None
    # The loss answers a rate a little later than it is set.
    until = min(loss.blocks - 1, round(min(float(rate.shares[top]) + 0.05, 1.0) * (loss.blocks - 1)))
    stretch = loss.level[: until + 1]
    if len(stretch) < 3:
        return CANNOT_TELL
    lowest = int(stretch.argmin())
    worst = lowest + int(stretch[lowest:].argmax())
    up = float(stretch[worst] - stretch[lowest])
    so_far = max(loss.start - float(stretch[lowest]), 0.05 * loss.size)
    if up < max(rise * so_far, noises * loss.level_noise):
        return None
    where = (float(loss.at[lowest]), float(loss.at[worst]))
    low, high = float(stretch[lowest]), float(stretch[worst])
    says = f"the rate rises to {number(rate.peak)} and the loss from {loss.text(low)} to {loss.text(high)}"
    peak = Evidence(LEARNING_RATE, _steps(rate), rate.peak, axis=rate.series.axis)
    evidence = (loss.evidence(where, high, low), peak)
    return Finding(min(1.0, 0.4 + 0.3 * up / so_far), says, evidence)


def _steps(rate: Rate) -> tuple[float, float]:
    """From the first record of the rate to its peak."""
    return float(rate.series.steps[0]), float(rate.series.steps[int(rate.values.argmax())])
