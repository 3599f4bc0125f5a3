"""Validation worth no more than guessing, after training that is worth far more."""

from typing import Annotated

import numpy as np

from traindx.curves.curve import curve_of, whole
from traindx.curves.objective import as_share, classes_of
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.quantities import TRAIN_LOSS, VAL_ACCURACY
from traindx.run import Run


@sign(needs=(VAL_ACCURACY, TRAIN_LOSS), severity=Severity.SERIOUS)
def validation_at_chance(
    run: Run,
    *,
    near: Annotated[float, "distance from chance over the room above it; bench/thresholds.md#chance"] = 0.1,
    learned: Annotated[float, "training loss over ln C; bench/thresholds.md#chance"] = 0.7,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 4,
) -> Answer:
    """Validation accuracy never gets better than guessing, although training learns."""
    classes = classes_of(run)
    train, val = curve_of(whole(run, TRAIN_LOSS)), curve_of(whole(run, VAL_ACCURACY))
    if classes is None or min(len(train), len(val)) < points:
        return CANNOT_TELL
    best = as_share(-val.best, float(np.abs(val.values).max()))
    guess = 1 / classes
    if train.end > learned * np.log(classes) or best > min(guess + near * (1 - guess), 2 * guess):
        return None
    says = (
        f"validation accuracy is never above {best:.1%}; guessing among {classes} classes gives {guess:.1%}"
    )
    return Finding(1.0, says, (val.evidence((float(val.steps[0]), float(val.steps[-1])), val.best),))
