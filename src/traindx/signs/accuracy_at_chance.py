"""An accuracy worth no more than guessing."""

from typing import Annotated

import numpy as np

from traindx.curves.curve import curve_of, reaches_end, whole
from traindx.curves.objective import as_share, classes_of
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.quantities import TRAIN_ACCURACY, VAL_ACCURACY
from traindx.run import Run


@sign(needs=((VAL_ACCURACY, TRAIN_ACCURACY),), severity=Severity.SERIOUS)
def accuracy_at_chance(
    run: Run,
    *,
    near: Annotated[float, "accuracy above 1/C, as a share; bench/thresholds.md#chance"] = 0.1,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 4,
) -> Answer:
    """The accuracy ends where guessing would put it."""
    # What was looked at in the first half only does not tell how the run ends.
    trained = TRAIN_ACCURACY in run and reaches_end(run, whole(run, TRAIN_ACCURACY))
    series = whole(run, TRAIN_ACCURACY if trained or VAL_ACCURACY not in run else VAL_ACCURACY)
    classes = classes_of(run)
    accuracy = curve_of(series)
    if classes is None or len(accuracy) < points:
        return CANNOT_TELL
    largest = float(np.abs(accuracy.values).max())
    end, best = (as_share(accuracy.shown(value), largest) for value in (accuracy.end, accuracy.best))
    chance = 1 / classes
    # Two classes leave little room above chance, many leave much: the limit is a share of that room.
    limit = min(chance + near * (1 - chance), 2 * chance)
    if best > limit:
        return None
    if not trained and VAL_ACCURACY not in run:
        return CANNOT_TELL
    says = f"the {accuracy.called} ends at {end:.1%}; guessing among {classes} classes gives {chance:.1%}"
    return Finding(1.0, says, (accuracy.evidence(accuracy.since(0.9), accuracy.end),))
