"""Columns of numbers measured robustly: a few wild values do not decide what is usual."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from traindx.run import Floats

FEWEST = 16
"""Values of a column below which its outer tenth cannot be told."""
_TAIL = 2.15
"""The outer tenth over the outer quarter of a uniform column is 1.6, of a normal one 1.9."""
_MOST_VALUES = 20_000
"""Values of a column from which its quantiles are taken."""
QUANTILES = (5, 10, 25, 50, 75, 90, 95)


@dataclass(frozen=True, eq=False)
class Columns:
    """What is usual in each column; NaN for a column without finite values."""

    median: Floats
    low: Floats
    high: Floats
    """Between these lies what continues the tail that the column shows; infinite where it has no scale."""
    mean: Floats
    std: Floats
    """Mean and standard deviation of what lies between."""
    quantiles: Floats
    """5, 10, 25, 50, 75, 90 and 95 % by column."""
    varies: NDArray[np.bool_]
    """Whether two finite values differ."""


def measured(values: Floats) -> Columns:
    """The usual of rows by columns.

    Beyond `low` and `high` lies what is further from the median than `far` times the cube of `tail`, where
    `far` is the distance of the outer tenth and `tail` is `far` over the distance of the outer quarter: the
    rule of `traindx.recorder.probes.inputs`, by which a normal column has none within 12.7 deviations.
    """
    sample = values[:: max(1, len(values) // _MOST_VALUES)]
    with np.errstate(all="ignore"):
        finite = np.where(np.isfinite(sample), sample, np.nan)
        quantiles = _quantiles(finite)
        median = quantiles[3]
        low = median - _reach(median - quantiles[1], median - quantiles[2])
        high = median + _reach(quantiles[5] - median, quantiles[4] - median)
        mean, std = np.empty(values.shape[1]), np.empty(values.shape[1])
        varies = np.zeros(values.shape[1], dtype=bool)
        # Column by column: a copy of the whole table would double the memory.
        for place in range(values.shape[1]):
            column = values[:, place]
            column = column[np.isfinite(column)]
            usual = column[(column >= low[place]) & (column <= high[place])]
            mean[place] = usual.mean() if len(usual) else np.nan
            std[place] = usual.std() if len(usual) else np.nan
            varies[place] = len(column) > 0 and bool(column.min() < column.max())
    return Columns(median, low, high, mean, std, quantiles, varies)


def _quantiles(finite: Floats) -> Floats:
    if not np.isnan(finite).any():
        quantiles: Floats = np.percentile(finite, QUANTILES, axis=0)
        return quantiles
    columns = [column[~np.isnan(column)] for column in finite.T]
    found = [
        np.percentile(one, QUANTILES) if len(one) else np.full(len(QUANTILES), np.nan) for one in columns
    ]
    return np.stack(found, axis=1)


def _reach(far: Floats, near: Floats) -> Floats:
    tail = np.maximum(far / near, _TAIL)
    reach: Floats = np.where(near > 0, far * tail**3, np.inf)
    return reach
