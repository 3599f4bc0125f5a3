"""A validation loss that repeats itself to the last digit."""

from typing import Annotated

import numpy as np

from traindx.curves.curve import whole
from traindx.finding import CANNOT_TELL, Answer, Evidence, Finding, Severity, sign
from traindx.format import count
from traindx.quantities import VAL_LOSS
from traindx.run import Run


@sign(needs=(VAL_LOSS,), severity=Severity.SERIOUS)
def validation_never_moves(
    run: Run,
    *,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 4,
) -> Answer:
    """The validation loss is the same number every time: the weights do not move."""
    series = whole(run, VAL_LOSS).finite
    if len(series) < points:
        return CANNOT_TELL
    if bool(np.any(series.values != series.values[0])):
        return None
    # A few digits may hide small steps; many that agree cannot.
    digits = len(f"{float(series.values[0]):.11e}".partition("e")[0].replace(".", "").strip("-0"))
    where = (float(series.steps[0]), float(series.steps[-1]))
    says = (
        f"all {count(len(series), 'validation loss', 'validation losses')} are {float(series.values[0]):.6g}"
    )
    evidence = Evidence(VAL_LOSS, where, float(series.values[0]), axis=series.axis, part=series.part)
    return Finding(1.0 if digits >= 5 else 0.5, says, (evidence,))
