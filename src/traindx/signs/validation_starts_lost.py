"""Validation that is worse than an untrained network from its first evaluation on."""

from typing import Annotated

from traindx.curves.curve import curve_of, whole
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.format import number
from traindx.quantities import TRAIN_LOSS, VAL_LOSS
from traindx.run import Axis, Run


@sign(needs=(TRAIN_LOSS, VAL_LOSS), severity=Severity.SERIOUS)
def validation_starts_lost(
    run: Run,
    *,
    above: Annotated[float, "validation over untrained loss; bench/thresholds.md#lost-start"] = 1.3,
    trained: Annotated[float, "the same over one trained a while; bench/thresholds.md#lost-start"] = 3.0,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 4,
) -> Answer:
    """The first validation loss is worse than the untrained network was, and it stays so."""
    train, val = curve_of(whole(run, TRAIN_LOSS)), curve_of(whole(run, VAL_LOSS))
    if min(len(train), len(val)) < points or min(train.start, val.lowest[0]) <= 0:
        return CANNOT_TELL
    # The first record is the untrained network only where single steps were logged from the first on.
    early = train.axis is Axis.STEP and train.steps[0] <= max(10, 0.005 * train.steps[-1])
    limit = (above if early else trained) * max(train.start, float(train.values[0]))
    first = float(val.values[0])
    if first < limit or val.lowest[0] < limit or train.end > 0.7 * train.start:
        return None
    says = f"the training loss began at {number(train.start)}; the first validation loss is {number(first)},"
    says += f" and none is below {number(val.lowest[0])}"
    where = (float(val.steps[0]), float(val.steps[-1]))
    return Finding(1.0, says, (val.evidence(where, first, limit),))
