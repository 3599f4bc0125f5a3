"""Medians, noise and trends that a few wild values do not decide."""

import numpy as np

from traindx.curves.limits import FEW
from traindx.run import Floats

MAD_TO_SIGMA = 1.4826
"""Median absolute deviation to standard deviation, for a normal distribution; bench/thresholds.md#noises."""
MEDIAN_PRICE = 1.25
"""Standard error of a median over that of a mean, for a normal distribution; bench/thresholds.md#noises."""
_TAU = (5, 9)
"""The variance of tau in random order is 2 (2 n + 5) / (9 n (n - 1)); bench/thresholds.md#steady."""


def running_median(values: Floats, window: int) -> Floats:
    """Each value replaced by the median of its neighborhood; the ends repeat."""
    window = min(window, len(values) - 1 + len(values) % 2)
    if window < FEW:
        return values
    padded = np.pad(values, window // 2, mode="edge")
    return np.asarray(np.median(np.lib.stride_tricks.sliding_window_view(padded, window), axis=1))


def running_mean(values: Floats, window: int) -> Floats:
    """Each value replaced by the mean of its neighborhood; the ends repeat."""
    padded = np.pad(values, window // 2, mode="edge")
    return np.asarray(np.lib.stride_tricks.sliding_window_view(padded, window).mean(axis=1))


def robust_sigma(residuals: Floats) -> float:
    """The standard deviation that half of the residuals suggest; blind to a few wild ones."""
    if not len(residuals):
        return 0.0
    middle = float(np.median(np.abs(residuals)))
    # Values that mostly repeat, such as rewards of zero, have no median deviation, but noise they have.
    return MAD_TO_SIGMA * middle if middle > 0 else float(np.std(residuals))


def kendall(values: Floats) -> float:
    """Kendall's tau of values with time: 1 where every later value is higher, 0 for no order."""
    pairs = len(values) * (len(values) - 1) / 2
    order = np.sign(values[None, :] - values[:, None])
    return float(np.triu(order).sum() / pairs) if pairs else 0.0


def rank_trend(values: Floats) -> float:
    """How clearly values rise with time: Kendall's tau over its standard deviation for random order."""
    count = len(values)
    if count < FEW:
        return 0.0
    return kendall(values) / float(np.sqrt(2 * (2 * count + _TAU[0]) / (_TAU[1] * count * (count - 1))))
