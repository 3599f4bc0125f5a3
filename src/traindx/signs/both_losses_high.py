"""Training and validation stuck together far from what could be reached."""

import math
from typing import Annotated

import numpy as np

from traindx.curves.curve import Curve, curve_of, whole
from traindx.curves.objective import as_share, chance_loss
from traindx.curves.settled import learned
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.format import number
from traindx.quantities import TRAIN_ACCURACY, TRAIN_LOSS, VAL_LOSS
from traindx.run import Run

_FEW = 5
"""Fewer levels have no trend of their own."""


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
    if len(train) < points or len(val) < 3 or train.floorless or train.end <= 0 or train.progress <= 0:
        return CANNOT_TELL
    chance, accuracy = chance_loss(run), _accuracy(run)
    level = chance or train.start
    late = train.level_at(0.6) - train.end
    moves = late > 0.1 * learned(run, train)
    if (moves and late > 3 * train.end_noise) or train.end < high * level:
        return None
    if abs(val.end - train.end) > apart * train.end:
        return None
    if chance is not None and train.end > 0.97 * chance:
        # Nothing was learned at all, which is another illness than learning too little.
        return None
    fell = train.start - train.end > max(0.05 * train.size, 3 * train.end_noise)
    if not fell or (accuracy is not None and accuracy > right):
        return None
    if moves or _falls_on(val):
        # One seems to fall on, and only its noise, or its few points, forbid to be sure.
        return CANNOT_TELL
    against = f"guessing gives {number(chance)}" if chance else f"training began at {number(train.start)}"
    says = f"training loss {number(train.end)} and validation loss {number(val.end)} hardly fall any more;"
    says += f" {against}"
    # The data may hold no more than this (text, noise, hard tasks); wrong answers to a few classes say more.
    wrong = accuracy is not None and accuracy < 0.8 and chance is not None and chance < math.log(20.5)
    strength = 0.9 if wrong else 0.6 if accuracy is not None else 0.4
    return Finding(strength, says, (train.evidence(train.since(0.6), train.end, high * level),))


def _falls_on(val: Curve) -> bool:
    """Whether validation still gains a tenth of all it gained, in the last part of the run."""
    last = float(val.level[-1]) if val.blocks < _FEW else val.end
    begin = float(val.steps[0]) + 0.6 * float(val.steps[-1] - val.steps[0])
    fall = float(np.interp(begin, val.at, val.level)) - last
    return fall > max(0.1 * val.progress, 3 * val.end_noise)


def _accuracy(run: Run) -> float | None:
    """The share of right answers on training data at the end; None if it was not logged."""
    if TRAIN_ACCURACY not in run:
        return None
    accuracy = curve_of(whole(run, TRAIN_ACCURACY))
    return as_share(-accuracy.end, float(np.abs(accuracy.values).max())) if len(accuracy) else None
