"""The distance between training and validation."""

from typing import Annotated

import numpy as np

from traindx.curves.curve import curve_of, whole
from traindx.curves.objective import as_share
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.format import number
from traindx.quantities import TRAIN_ACCURACY, TRAIN_LOSS, VAL_ACCURACY, VAL_LOSS
from traindx.run import Run


@sign(needs=((VAL_LOSS, VAL_ACCURACY), (TRAIN_LOSS, TRAIN_ACCURACY)), severity=Severity.WARNING)
def validation_gap_wide(
    run: Run,
    *,
    gap: Annotated[float, "train minus validation accuracy; bench/thresholds.md#gap"] = 0.2,
    ratio: Annotated[float, "validation over training loss; bench/thresholds.md#gap"] = 2.0,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 3,
) -> Answer:
    """Validation ends far worse than training."""
    counted = TRAIN_ACCURACY in run and VAL_ACCURACY in run
    by_accuracy = _by_accuracy(run, gap, points) if counted else CANNOT_TELL
    if isinstance(by_accuracy, Finding) or TRAIN_LOSS not in run or VAL_LOSS not in run:
        return by_accuracy
    train, val = curve_of(whole(run, TRAIN_LOSS)), curve_of(whole(run, VAL_LOSS))
    if min(len(train), len(val)) < points or train.floorless or val.floorless or train.end <= 0:
        return CANNOT_TELL
    # Near zero every ratio is large: the gap must also be a clear part of what there was to learn, and where
    # the answers are as often right on both sides, most of it.
    clear = 0.1 if by_accuracy is CANNOT_TELL else 0.5
    if val.end < ratio * train.end or val.end - train.end < clear * max(train.start, val.start):
        return None
    says = f"validation loss {number(val.end)}, training loss {number(train.end)}:"
    says += f" {val.end / train.end:.1f} times"
    evidence = val.evidence(val.since(0.9), val.end, ratio * train.end)
    return Finding(min(1.0, val.end / (2 * ratio * train.end)), says, (evidence,))


def _by_accuracy(run: Run, limit: float, points: int) -> Answer:
    train, val = curve_of(whole(run, TRAIN_ACCURACY)), curve_of(whole(run, VAL_ACCURACY))
    if min(len(train), len(val)) < points:
        return CANNOT_TELL
    largest = max(float(np.abs(curve.values).max()) for curve in (train, val))
    trained, checked = as_share(-train.end, largest), as_share(-val.end, largest)
    if trained - checked < limit:
        return None
    says = f"training accuracy {trained:.1%}, validation accuracy {checked:.1%}:"
    says += f" a gap of {trained - checked:.1%}"
    return Finding(
        min(1.0, (trained - checked) / (2 * limit)), says, (val.evidence(val.since(0.9), val.end),)
    )
