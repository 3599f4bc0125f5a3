"""Validation that gets worse, and then better than ever."""

from typing import Annotated

import numpy as np

from traindx.curves.curve import curve_of, whole
from traindx.finding import CANNOT_TELL, Answer, Finding, sign
from traindx.quantities import VAL_ACCURACY, VAL_ERROR, VAL_LOSS
from traindx.run import Run


@sign(needs=((VAL_LOSS, VAL_ERROR, VAL_ACCURACY),))
def double_descent(
    run: Run,
    *,
    noises: Annotated[float, "height of the bump over the level noise; bench/thresholds.md#bump"] = 6.0,
    share: Annotated[float, "height of the bump over the progress; bench/thresholds.md#bump"] = 0.1,
    wide: Annotated[float, "width of the bump over the run; bench/thresholds.md#bump"] = 0.1,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 15,
) -> Answer:
    """The validation curve improves, worsens, and improves again to its best."""
    val = curve_of(whole(run, next(one for one in (VAL_LOSS, VAL_ERROR, VAL_ACCURACY) if one in run)))
    if len(val) < points:
        return CANNOT_TELL
    so_far = np.minimum.accumulate(val.trend)
    bump = int((val.trend - so_far).argmax())
    height = float(val.trend[bump] - so_far[bump])
    worth = max(val.progress, 0.02 * val.size)
    if height < max(noises * val.level_noise, share * worth) or val.end > so_far[bump] + 0.1 * height:
        return None
    first = int(np.flatnonzero(val.trend[: bump + 1] <= so_far[bump])[0])
    returns = np.flatnonzero(val.trend[bump:] <= so_far[bump] + 0.1 * height)
    if not len(returns):
        return None
    back = bump + int(returns[0])
    # A bump of a few points is a spike; a second descent takes a good part of the run.
    if val.share_of(back) - val.share_of(first) < wide or float(val.values[0]) - so_far[bump] < 0.3 * height:
        return None
    steps = (float(val.at[first]), float(val.at[back]))
    says = (
        f"the {val.called} reaches {val.text(so_far[bump])} at {val.place(steps[0])}, worsens to"
        f" {val.text(val.trend[bump])} at {val.place(float(val.at[bump]))} and ends at"
        f" {val.text(val.end)}"
    )
    return Finding(
        min(1.0, 0.4 + height / worth), says, (val.evidence(steps, float(val.trend[bump]), val.end),)
    )
