"""Validation better than training: odd at first sight, normal with dropout."""

from typing import Annotated

from traindx.curves.curve import curve_of, whole
from traindx.finding import CANNOT_TELL, Answer, Finding, sign
from traindx.format import number
from traindx.quantities import TRAIN_LOSS, VAL_LOSS
from traindx.run import Run


@sign(needs=(TRAIN_LOSS, VAL_LOSS))
def validation_below_train(
    run: Run,
    *,
    noises: Annotated[float, "distance over its standard error; bench/thresholds.md#noises"] = 3.0,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 3,
) -> Answer:
    """The validation loss lies below the training loss, as dropout or augmentation make it."""
    train, val = curve_of(whole(run, TRAIN_LOSS)), curve_of(whole(run, VAL_LOSS))
    if min(len(train), len(val)) < points:
        return CANNOT_TELL
    below = train.end - val.end
    if below <= max(noises * (train.end_noise + val.end_noise), 0.02 * val.size):
        return None
    says = f"validation loss {number(val.end)} lies below training loss {number(train.end)}: training is"
    says += " measured with dropout or augmentation, or as a mean over an epoch that was still improving"
    return Finding(1.0, says, (val.evidence(val.since(0.9), val.end, train.end),))
