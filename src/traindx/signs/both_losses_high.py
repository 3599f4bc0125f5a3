"""Training and validation stuck together far from what could be reached."""

import math
from typing import Annotated

import numpy as np

from traindx.curves.curve import curve_of, whole
from traindx.curves.objective import as_share, chance_loss
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity
from traindx.quantities import TRAIN_ACCURACY, TRAIN_LOSS, VAL_LOSS
from traindx.run import Run
from traindx.sign import sign
from traindx.wording import number


@sign(needs=(TRAIN_LOSS, VAL_LOSS), severity=Severity.WARNING)
def both_losses_high(
    run: Run,
    *,
    high: Annotated[float, "end over start, or over ln C; bench/thresholds.md#high"] = 0.35,
    apart: Annotated[float, "gap over the loss; bench/thresholds.md#high"] = 0.15,
    right: Annotated[float, "accuracy that is not low; bench/thresholds.md#high"] = 0.9,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 8,
) -> Answer:
    """Training and validation loss stand nearly still together, both high."""
    train, val = curve_of(whole(run, TRAIN_LOSS)), curve_of(whole(run, VAL_LOSS))
    if len(train) < points or len(val) < 3 or train.end <= 0 or train.progress <= 0:
        return CANNOT_TELL
    chance, accuracy = chance_loss(run), _accuracy(run)
    level = chance or train.start
    moving = train.level_at(0.6) - train.end > max(0.1 * train.progress, 3 * train.end_noise)
    if moving or train.end < high * level or abs(val.end - train.end) > apart * train.end:
        return None
    if chance is not None and train.end > 0.97 * chance:
        # Nothing was learned at all, which is another illness than learning too little.
        return None
    learned = train.start - train.end > max(0.05 * train.size, 3 * train.end_noise)
    if not learned or (accuracy is not None and accuracy > right):
        return None
    against = f"guessing gives {number(chance)}" if chance else f"training began at {number(train.start)}"
    says = f"training loss {number(train.end)} and validation loss {number(val.end)} hardly fall any more;"
    says += f" {against}"
    # The data may hold no more than this (text, noise, hard tasks); wrong answers to a few classes say more.
    wrong = accuracy is not None and accuracy < 0.8 and chance is not None and chance < math.log(20.5)
    strength = 0.9 if wrong else 0.6 if accuracy is not None else 0.4
    return Finding(strength, says, (train.evidence(train.since(0.6), train.end, high * level),))


def _accuracy(run: Run) -> float | None:
    """The share of right answers on training data at the end; None if it was not logged."""
    if TRAIN_ACCURACY not in run:
        return None
    accuracy = curve_of(whole(run, TRAIN_ACCURACY))
    return as_share(-accuracy.end, float(np.abs(accuracy.values).max())) if len(accuracy) else None
