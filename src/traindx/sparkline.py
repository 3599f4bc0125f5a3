"""A curve in a few characters that keeps every spike."""

import numpy as np

from traindx.series import Series

_BLOCKS = " ▁▂▃▄▅▆▇█"
_NON_FINITE = "×"


def sparkline(series: Series, width: int = 16) -> str:
    """One character per stretch of the run: its most extreme value, or a cross where one is not finite."""
    stretches = [part for part in np.array_split(series.values, min(width, len(series))) if len(part)]
    finite = series.finite.values
    if not len(finite):
        return _NON_FINITE * len(stretches)
    low, middle, high = float(finite.min()), float(np.median(finite)), float(finite.max())
    return "".join(_character(part, low, middle, high) for part in stretches)


def _character(
    part: np.ndarray[tuple[int], np.dtype[np.float64]], low: float, middle: float, high: float
) -> str:
    if not np.isfinite(part).all():
        return _NON_FINITE
    # The value farthest from the median, never the mean: a spike of one step must stay visible.
    extreme = float(part[np.abs(part - middle).argmax()])
    share = (extreme - low) / (high - low) if high > low else 0.0
    return _BLOCKS[1 + round(share * (len(_BLOCKS) - 2))]
