"""Training that gets better without any gain on validation data."""

from typing import Annotated

from traindx.curves.curve import curve_of, whole
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.format import number
from traindx.quantities import TRAIN_LOSS, VAL_LOSS
from traindx.run import Run


@sign(needs=(TRAIN_LOSS, VAL_LOSS), severity=Severity.SERIOUS)
def validation_never_improves(
    run: Run,
    *,
    fall: Annotated[float, "fall of the training loss over its start; bench/thresholds.md#never"] = 0.2,
    gain: Annotated[float, "validation gain over the training fall; bench/thresholds.md#never"] = 0.1,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 6,
) -> Answer:
    """The training loss falls well, and the validation loss never gets better than at its start."""
    train, val = curve_of(whole(run, TRAIN_LOSS)), curve_of(whole(run, VAL_LOSS))
    if len(val) < points or len(train) < points:
        return CANNOT_TELL
    fell = train.start - train.end
    if fell < max(fall * train.size, 5 * train.end_noise):
        return None
    first = max(float(val.values[0]), val.start)
    gained = first - val.lowest[0]
    # The first validation comes after some training: where most was already learned there is little to gain.
    late = first - train.end < 0.5 * fell
    if gained > max(gain * fell, 2 * val.level_noise) or late:
        return None
    says = f"the training loss falls from {number(train.start)} to {number(train.end)}; the validation loss"
    says += f" begins at {number(first)} and is never better than {number(val.lowest[0])}"
    steps = (float(val.steps[0]), float(val.steps[-1]))
    return Finding(min(1.0, fell / (2 * fall * train.size)), says, (val.evidence(steps, val.best, first),))
