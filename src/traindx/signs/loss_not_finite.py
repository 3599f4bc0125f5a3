"""A loss that is NaN or infinite: since when, and what the last good value was."""

from typing import Annotated

import numpy as np

from traindx.curves.curve import whole
from traindx.curves.failure import LASTING, lasting_from
from traindx.finding import Answer, Evidence, Finding, Severity, sign
from traindx.format import number, step
from traindx.quantities import TRAIN_LOSS, VAL_LOSS
from traindx.run import Run, Series


@sign(needs=((TRAIN_LOSS, VAL_LOSS),), severity=Severity.CRITICAL)
def loss_not_finite(
    run: Run,
    *,
    lasting: Annotated[float, "share of bad points after the first; bench/thresholds.md#lasting"] = LASTING,
) -> Answer:
    """The loss becomes NaN or infinite."""
    found = [whole(run, one) for one in (TRAIN_LOSS, VAL_LOSS) if one in run]
    bad = [series for series in found if series.first_bad_step is not None]
    if not bad:
        return None
    series = next((one for one in bad if lasting_from(one, lasting) is not None), bad[0])
    begins = lasting_from(series, lasting)
    stays = begins is not None
    first = int(np.flatnonzero(~np.isfinite(series.values))[0]) if begins is None else begins
    last_good = series.finite.steps[series.finite.steps < series.steps[first]]
    name = "training loss" if series.quantity is TRAIN_LOSS else "validation loss"
    place = f"{series.axis.value} {step(series.steps[first])}"
    what = number(float(series.values[first]))
    says = (
        f"the {name} is {what} from {place} on" if stays else f"the {name} is {what} at {place} and recovers"
    )
    if len(last_good):
        before = float(series.values[np.searchsorted(series.steps, last_good[-1])])
        says += f"; its last finite value is {number(before)} at {series.axis.value} {step(last_good[-1])}"
    elif stays:
        says += ", its first value"
    steps = (float(series.steps[first]), float(series.steps[-1] if stays else series.steps[first]))
    evidence = Evidence(
        series.quantity, steps, float(series.values[first]), axis=series.axis, part=series.part
    )
    return Finding(_strength(series, stays), says, (evidence,))


def _strength(series: Series, stays: bool) -> float:
    if not stays:
        return 0.1
    # A validation loss that never was a number says more about the evaluation than about the training.
    return 1.0 if series.quantity is TRAIN_LOSS or len(series.finite) else 0.5
