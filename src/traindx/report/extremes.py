"""A long series in few points, or in a row of characters: no spike is averaged away."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from traindx.report.blocks import Cell
from traindx.run import Floats, Series

Indices = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Extremes:
    """Points to draw, each one of the series' own, in its order."""

    steps: Floats
    values: Floats
    """NaN where the line breaks."""
    bad_steps: Floats
    """Where a value is not finite; at most one for each column."""
    bad_values: Floats
    every: float
    """How many steps a column covers; 0 where every point is kept."""


def _first_of_each(column: Indices, places: Indices) -> Indices:
    """The first of the places in each column that has any."""
    return places[np.diff(column[places], prepend=-1) > 0]


def extremes(steps: Floats, values: Floats, columns: int) -> Extremes:
    """The lowest and the highest point of each column; never a mean, which would hide a spike."""
    finite = np.isfinite(values)
    if len(steps) <= 2 * columns:
        bad = np.flatnonzero(~finite)
        return Extremes(steps, np.where(finite, values, np.nan), steps[bad], values[bad], 0.0)
    every = float(steps[-1] - steps[0]) / columns
    starts = np.unique(np.searchsorted(steps, steps[0] + every * np.arange(columns)))
    starts = starts[starts < len(steps)]
    column = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(steps)))
    low = np.where(finite, values, np.inf)
    high = np.where(finite, values, -np.inf)
    # A column without any finite value keeps its first point, which breaks the line.
    lowest = _first_of_each(column, np.flatnonzero(low == np.minimum.reduceat(low, starts)[column]))
    highest = _first_of_each(column, np.flatnonzero(high == np.maximum.reduceat(high, starts)[column]))
    kept = np.unique(np.concatenate([[0], lowest, highest, [len(steps) - 1]]))
    bad = _first_of_each(column, np.flatnonzero(~finite))
    return Extremes(steps[kept], np.where(finite, values, np.nan)[kept], steps[bad], values[bad], every)


_BLOCKS = " ▁▂▃▄▅▆▇█"

NON_FINITE = "×"

_CELL = 12
"""Characters of a curve in a table."""


def sparkline(series: Series, width: int = 16) -> str:
    """One character per stretch of the run: its most extreme value, or a cross where one is not finite."""
    # A quarter of it has the same shape, and the difference of two huge numbers does not overflow.
    stretches = [part for part in np.array_split(series.values / 4, min(width, len(series))) if len(part)]
    finite = series.finite.values / 4
    if not len(finite):
        return NON_FINITE * len(stretches)
    low, middle, high = float(finite.min()), float(np.median(finite)), float(finite.max())
    return "".join(_character(part, low, middle, high) for part in stretches)


def cell_text(cell: Cell) -> str:
    """A field of a table in characters: what it says, or its curve."""
    return cell.says if cell.says or cell.curve is None else sparkline(cell.curve, _CELL)


def _character(
    part: np.ndarray[tuple[int], np.dtype[np.float64]], low: float, middle: float, high: float
) -> str:
    if not np.isfinite(part).all():
        return NON_FINITE
    # The value farthest from the median, never the mean: a spike of one step must stay visible.
    extreme = float(part[np.abs(part - middle).argmax()])
    share = (extreme - low) / (high - low) if high > low else 0.0
    return _BLOCKS[1 + round(share * (len(_BLOCKS) - 2))]
