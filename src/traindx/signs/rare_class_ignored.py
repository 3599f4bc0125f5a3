"""A class that is never predicted."""

from typing import Annotated

import numpy as np

from traindx.curves.inside import last_part, looked, seen_in
from traindx.curves.order import comes_sorted
from traindx.curves.stated import stated_number
from traindx.facts import CLASS_BALANCE
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.quantities import COMMONEST_PREDICTION_SHARE, COMMONEST_TARGET_SHARE
from traindx.run import Run


@sign(needs=(CLASS_BALANCE, COMMONEST_PREDICTION_SHARE, COMMONEST_TARGET_SHARE), severity=Severity.SERIOUS)
def rare_class_ignored(
    run: Run,
    *,
    ratio: Annotated[float, "commonest over rarest class; bench/thresholds.md#balance"] = 5.0,
    missed: Annotated[float, "share of the rest; bench/thresholds.md#balance"] = 0.6,
) -> Answer:
    """The model answers with the commonest class far more often than it is right."""
    balance = stated_number(run, CLASS_BALANCE)
    given, right = looked(run, COMMONEST_PREDICTION_SHARE), looked(run, COMMONEST_TARGET_SHARE)
    # Of sorted rows the first looks know a few classes only.
    if balance is None or given is None or right is None or len(given) < 3 or comes_sorted(run):
        return CANNOT_TELL
    rest = 1 - float(np.mean(last_part(right.values)))
    left = 1 - float(np.mean(last_part(given.values)))
    if balance < ratio or rest <= 0 or left > (1 - missed) * rest:
        return None
    says = f"{rest:.0%} of a batch belongs to rarer classes, and {left:.1%} of it is predicted so"
    return Finding(
        min(1.0, 0.5 + 0.5 * (1 - left / rest - missed) / (1 - missed)), says, (seen_in(given, 1 - left),)
    )
