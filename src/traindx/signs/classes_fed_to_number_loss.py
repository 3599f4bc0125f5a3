"""Numbers of classes that are treated as amounts."""

from typing import Annotated

from traindx.curves.inside import compares_numbers, looked
from traindx.curves.stated import fact_evidence, stated_number
from traindx.facts import LOSS_FUNCTION, LOSS_PLACE, OUTPUTS, TARGET_VALUES, TARGETS_ARE_WHOLE
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity
from traindx.quantities import TARGET_MAX, TARGET_MIN
from traindx.run import Run
from traindx.sign import sign


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
    return Finding(0.8, says, (fact_evidence(run, TARGET_VALUES, LOSS_PLACE),))
