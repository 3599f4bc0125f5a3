"""Training samples whose labels the model contradicts with confidence."""

from typing import Annotated

import numpy as np

from traindx.curves.inside import looked, seen_in
from traindx.curves.stated import stated_number
from traindx.facts import CLASSES
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity
from traindx.quantities import CONFIDENTLY_WRONG_SHARE, TRAIN_ACCURACY
from traindx.run import Run
from traindx.sign import sign


@sign(needs=(CONFIDENTLY_WRONG_SHARE, TRAIN_ACCURACY), severity=Severity.WARNING)
def confidently_wrong(
    run: Run,
    *,
    share: Annotated[float, "of training samples; bench/thresholds.md#label-noise"] = 0.05,
    above: Annotated[float, "accuracy above chance; bench/thresholds.md#label-noise"] = 0.25,
    looks: Annotated[int, "fewest looks; bench/thresholds.md#few-looks"] = 5,
) -> Answer:
    """While it learns well, the model contradicts a steady part of the training labels with confidence."""
    wrong, right = looked(run, CONFIDENTLY_WRONG_SHARE), looked(run, TRAIN_ACCURACY)
    if wrong is None or right is None or len(wrong) < looks:
        return CANNOT_TELL
    chance = 1 / max(stated_number(run, CLASSES) or 2.0, 2.0)
    accuracy = np.interp(wrong.steps, right.steps, right.values)
    accuracy = np.convolve(np.pad(accuracy, 2, mode="edge"), np.ones(5) / 5, mode="valid")
    knows = wrong.values[accuracy > chance + above]
    if len(knows) < looks:
        return None
    # Half of what follows once it knows something: later it may learn the wrong labels by heart.
    middle = float(np.median(knows[: max(looks, len(knows) // 2)]))
    if middle < share:
        return None
    says = f"while it learns, the model is sure of another class for {middle:.0%} of the training samples"
    return Finding(min(1.0, 0.4 + 0.6 * (middle - share) / 0.1), says, (seen_in(wrong, middle, share),))
