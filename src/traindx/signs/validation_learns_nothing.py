"""A training whose validation stays at guessing."""

from typing import Annotated

import numpy as np

from traindx.curves.curve import curve_of, whole
from traindx.curves.objective import as_share, chance_loss, classes_of
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.format import number
from traindx.quantities import TRAIN_LOSS, VAL_ACCURACY, VAL_LOSS
from traindx.run import Run


@sign(needs=(VAL_ACCURACY, VAL_LOSS, TRAIN_LOSS), severity=Severity.SERIOUS)
def validation_learns_nothing(
    run: Run,
    *,
    near: Annotated[float, "distance from chance over the room above it; bench/thresholds.md#chance"] = 0.12,
    below: Annotated[float, "validation loss over ln C; bench/thresholds.md#chance"] = 0.97,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 4,
) -> Answer:
    """Training learns something, and validation never does better than guessing."""
    classes, chance, train = classes_of(run), chance_loss(run), curve_of(whole(run, TRAIN_LOSS))
    accuracy, loss = curve_of(whole(run, VAL_ACCURACY)), curve_of(whole(run, VAL_LOSS))
    if classes is None or chance is None or min(len(accuracy), len(loss), len(train)) < points:
        return CANNOT_TELL
    if train.end > below * chance:
        # Nothing to compare with: training learns nothing either.
        return CANNOT_TELL
    best = as_share(-accuracy.best, float(np.abs(accuracy.values).max()))
    guess = 1 / classes
    if best > min(guess + near * (1 - guess), 2 * guess) or loss.lowest[0] < below * chance:
        return None
    says = f"validation accuracy is never above {best:.1%}, where guessing among {classes} classes gives"
    says += f" {guess:.1%}, and validation loss never below {number(loss.lowest[0])} ({number(chance)})"
    return Finding(
        1.0, says, (loss.evidence((float(loss.steps[0]), float(loss.steps[-1])), loss.best, chance),)
    )
