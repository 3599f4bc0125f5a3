"""Labels that are all the same."""

from typing import Annotated

from traindx.curves.inside import looked, seen_in
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.quantities import TARGET_CLASSES, TARGET_MAX, TARGET_MIN
from traindx.run import Run


@sign(needs=(TARGET_CLASSES, TARGET_MIN, TARGET_MAX), severity=Severity.SERIOUS)
def one_class_only(
    run: Run, *, looks: Annotated[int, "fewest looks; bench/thresholds.md#few-looks"] = 3
) -> Answer:
    """Every training label that was looked at names the same class."""
    low, high, classes = looked(run, TARGET_MIN), looked(run, TARGET_MAX), looked(run, TARGET_CLASSES)
    if low is None or high is None or classes is None or len(classes) < looks:
        return CANNOT_TELL
    if float(classes.values.max()) > 1 or float(low.values.min()) != float(high.values.max()):
        return None
    says = f"every label that was looked at, in {len(classes)} batches, is {low.values[0]:g}"
    return Finding(1.0, says, (seen_in(low, float(low.values[0])),))
