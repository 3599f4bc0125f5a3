"""Validation that jumps about while training is calm."""

from typing import Annotated

import numpy as np

from traindx.curves.curve import curve_of, whole
from traindx.curves.robust import robust_sigma
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.format import number
from traindx.quantities import TRAIN_LOSS, VAL_LOSS
from traindx.run import Run


@sign(needs=(VAL_LOSS, TRAIN_LOSS), severity=Severity.WARNING)
def validation_noisy(
    run: Run,
    *,
    swing: Annotated[float, "swing of validation over its level; bench/thresholds.md#val-swing"] = 0.3,
    ratio: Annotated[float, "validation noise over training noise; bench/thresholds.md#val-swing"] = 1.5,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 8,
) -> Answer:
    """The validation loss jumps about far more than the training loss does."""
    train, val = curve_of(whole(run, TRAIN_LOSS)), curve_of(whole(run, VAL_LOSS))
    if len(val) < points or len(train) < points or val.floorless:
        return CANNOT_TELL
    late = val.level[val.blocks // 4 :]
    noise = robust_sigma(val.unrest[val.blocks // 4 :])
    level = max(float(np.median(np.abs(late))), 1e-300)
    calm = max(train.noise_around(train.blocks - 1), 1e-300)
    if 4 * noise < swing * level or noise < ratio * calm:
        return None
    says = f"the validation loss swings by {number(4 * noise)} around {number(float(np.median(late)))},"
    says += f" {noise / calm:.1f} times as much as the training loss"
    strength = min(1.0, 4 * noise / (2 * swing * level))
    return Finding(max(0.2, strength), says, (val.evidence(val.since(0.25), val.end),))
