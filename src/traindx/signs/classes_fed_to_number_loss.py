"""Numbers of classes that are treated as amounts."""

import math
from typing import Annotated

import numpy as np

from traindx.curves.inside import compares_numbers, looked
from traindx.curves.stated import fact_evidence, stated_number
from traindx.facts import LOSS_FUNCTION, LOSS_PLACE, OUTPUTS, TARGET_VALUES, TARGETS_ARE_WHOLE
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.quantities import TARGET_MAX, TARGET_MEAN, TARGET_MIN, TARGET_STD
from traindx.run import Run


@sign(needs=(LOSS_FUNCTION, TARGET_VALUES, TARGETS_ARE_WHOLE), severity=Severity.WARNING)
def classes_fed_to_number_loss(
    run: Run,
    *,
    fewest: Annotated[int, "different targets; bench/thresholds.md#classes-as-numbers"] = 3,
    most: Annotated[int, "different targets; bench/thresholds.md#classes-as-numbers"] = 20,
) -> Answer:
    """Targets that look like the numbers of classes enter a loss that measures distances."""
    values, low, high = stated_number(run, TARGET_VALUES), looked(run, TARGET_MIN), looked(run, TARGET_MAX)
    if values is None or low is None or high is None:
        return CANNOT_TELL
    single = stated_number(run, OUTPUTS) == 1
    if not compares_numbers(run) or run.facts.get(TARGETS_ARE_WHOLE) is not True or not single:
        return None
    least, largest = float(low.values.min()), float(high.values.max())
    # Every number from 0 to the largest, and no other.
    if not fewest <= values <= most or least != 0 or largest != values - 1:
        return None
    says = f"the targets are the whole numbers 0 to {largest:g}, like the numbers of {values:g} classes, and"
    says += f" {run.facts[LOSS_FUNCTION]} takes them for amounts"
    # Classes tend to be equally frequent, counts and ratings crowd at one end.
    strength = 1.0 if _is_even(run, values) else 0.3
    return Finding(strength, says, (fact_evidence(run, TARGET_VALUES, LOSS_PLACE),))


def _is_even(run: Run, values: float) -> bool:
    """Whether the targets spread over their range about as evenly as a fair die."""
    mean, std = looked(run, TARGET_MEAN), looked(run, TARGET_STD)
    if mean is None or std is None:
        return False
    centre, spread = (values - 1) / 2, math.sqrt((values**2 - 1) / 12)
    off = abs(float(np.median(mean.values)) - centre)
    return off < 0.35 * spread and 0.75 < float(np.median(std.values)) / spread < 1.25
