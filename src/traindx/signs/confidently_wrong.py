"""Samples whose labels a good model contradicts with confidence."""

from typing import Annotated

import numpy as np

from traindx.curves.curve import curve_of, whole
from traindx.curves.inside import looked, seen_in
from traindx.curves.stated import stated_number
from traindx.facts import CLASSES
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.quantities import CONFIDENTLY_WRONG_SHARE, TRAIN_ACCURACY, VAL_ACCURACY, VAL_LOSS
from traindx.run import Floats, Run, Series

_FEWEST = 3


@sign(needs=(CONFIDENTLY_WRONG_SHARE, CLASSES), severity=Severity.WARNING)
def confidently_wrong(
    run: Run,
    *,
    share: Annotated[float, "of samples; bench/thresholds.md#label-noise"] = 0.07,
    above: Annotated[float, "accuracy above chance; bench/thresholds.md#label-noise"] = 0.25,
) -> Answer:
    """A model that knows its task is sure of another class for a steady part of the samples."""
    chance = 1 / max(stated_number(run, CLASSES) or 2.0, 2.0)
    trained = looked(run, CONFIDENTLY_WRONG_SHARE)
    validated = looked(run, CONFIDENTLY_WRONG_SHARE, "validation")
    # The later half of training: at first a network is sure of anything.
    late = _while_knowing(run, trained, TRAIN_ACCURACY in run, chance + above)
    late = late[len(late) // 2 :]
    # Validation up to its best: what is learnt by heart afterwards is wrong with confidence as well.
    good = _until_best(run, validated, chance + above)
    found = [(one, part) for one, part in ((trained, late), (validated, good)) if one is not None]
    known = [(one, float(np.median(part))) for one, part in found if len(part) >= _FEWEST]
    if not known:
        return CANNOT_TELL
    series, worst = max(known, key=lambda pair: pair[1])
    if worst < share:
        return None
    data = "validation" if series.part else "training"
    says = f"a model that knows its task is sure of another class for {worst:.0%} of the {data} samples"
    return Finding(min(1.0, 0.4 + 0.6 * (worst - share) / 0.1), says, (seen_in(series, worst, share),))


def _while_knowing(run: Run, wrong: Series | None, has_accuracy: bool, least: float) -> Floats:
    """The values of looks at which training was right more often than that."""
    if wrong is None or not has_accuracy:
        return np.zeros(0)
    right = whole(run, TRAIN_ACCURACY).finite
    if not len(right):
        return np.zeros(0)
    accuracy = np.interp(wrong.steps, right.steps, right.values)
    smooth = np.convolve(np.pad(accuracy, 1, mode="edge"), np.ones(3) / 3, mode="valid")
    return wrong.values[smooth > least]


def _until_best(run: Run, wrong: Series | None, least: float) -> Floats:
    """The values of validation passes up to the best loss, where validation was right often enough."""
    if wrong is None or VAL_LOSS not in run or VAL_ACCURACY not in run:
        return np.zeros(0)
    loss, right = curve_of(whole(run, VAL_LOSS)), whole(run, VAL_ACCURACY).finite
    if not len(loss) or not len(right):
        return np.zeros(0)
    accuracy = np.interp(wrong.steps, right.steps, right.values)
    return wrong.values[(wrong.steps <= loss.lowest[1]) & (accuracy > least)]
