"""Classes that are found far less often than the accuracy says."""

from typing import Annotated

import numpy as np

from traindx.curves.inside import graded, last_part, looked, seen_in
from traindx.curves.order import comes_sorted
from traindx.curves.stated import stated_number
from traindx.facts import CLASS_BALANCE
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.quantities import PREDICTION_RECALL, TRAIN_ACCURACY
from traindx.run import Run


@sign(needs=(CLASS_BALANCE, PREDICTION_RECALL, TRAIN_ACCURACY), severity=Severity.WARNING)
def rare_classes_missed(
    run: Run,
    *,
    ratio: Annotated[float, "commonest over rarest class; bench/thresholds.md#balance"] = 3.0,
    gap: Annotated[float, "accuracy less mean recall; bench/thresholds.md#balance"] = 0.15,
) -> Answer:
    """The accuracy is well above the mean over classes: the rare ones are missed."""
    balance = stated_number(run, CLASS_BALANCE)
    recall, accuracy = looked(run, PREDICTION_RECALL), looked(run, TRAIN_ACCURACY)
    # Of sorted rows the first looks know a few classes only.
    if balance is None or recall is None or accuracy is None or len(recall) < 3 or comes_sorted(run):
        return CANNOT_TELL
    right, found = (float(np.mean(last_part(one.values))) for one in (accuracy, recall))
    if balance < ratio or right - found < gap:
        return None
    says = f"{right:.0%} of the answers are right, but of a class {found:.0%} are found on average"
    return Finding(graded(right - found, gap, 3 * gap), says, (seen_in(recall, found, right - gap),))
