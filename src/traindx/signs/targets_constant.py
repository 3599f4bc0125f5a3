"""Numbers to predict that are all the same."""

from typing import Annotated

from traindx.curves.inside import compares_numbers, looked, seen_in
from traindx.facts import LOSS_FUNCTION
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.format import number
from traindx.quantities import TARGET_MAX, TARGET_MIN
from traindx.run import Run


@sign(needs=(TARGET_MIN, TARGET_MAX, LOSS_FUNCTION), severity=Severity.SERIOUS)
def targets_constant(
    run: Run, *, looks: Annotated[int, "fewest looks; bench/thresholds.md#few-looks"] = 3
) -> Answer:
    """Every target of a regression that was looked at is the same number."""
    low, high = looked(run, TARGET_MIN), looked(run, TARGET_MAX)
    if low is None or high is None or len(low) < looks:
        return CANNOT_TELL
    least, most = float(low.values.min()), float(high.values.max())
    if not compares_numbers(run) or most - least > 1e-9 * max(abs(most), abs(least)):
        return None
    says = f"every target that was looked at is {number(most)}: there is nothing to tell apart"
    return Finding(1.0, says, (seen_in(low, least),))
