"""What drawings are made of: series in few points or characters, without twins, on one axis."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from traindx.curves.series import shares
from traindx.finding import Evidence
from traindx.report.blocks import Cell
from traindx.run import Floats, Run, Series

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


def distinct(group: Iterable[Series]) -> list[Series]:
    """Without those that lie exactly on another, such as the rates of equal parameter groups."""
    kept: list[Series] = []
    for series in group:
        if not any(_is_same(series, other) for other in kept):
            kept.append(series)
    return kept


def _is_same(series: Series, other: Series) -> bool:
    if series.quantity != other.quantity or len(series) != len(other) or series.axis is not other.axis:
        return False
    return np.array_equal(series.steps, other.steps) and np.array_equal(
        series.values, other.values, equal_nan=True
    )


@dataclass(frozen=True, eq=False)
class Ruler:
    """The axis of one series; those that are counted otherwise are placed by their share of the run."""

    run: Run
    base: Series

    def positions(self, series: Series) -> Floats:
        """Where the points of a series lie: at the same share of the run."""
        base = self.base
        if series.axis is base.axis:
            return series.steps
        if len(base) < 2:
            return np.asarray(base.steps[0] + shares(self.run, series))
        ruled = shares(self.run, base)
        length = float(base.steps[-1] - base.steps[0]) / float(ruled[-1] - ruled[0])
        return np.asarray(base.steps[0] + (shares(self.run, series) - ruled[0]) * length)

    def span(self, evidence: Evidence) -> tuple[float, float] | None:
        """Where evidence begins and ends; None where the run counts nothing so."""
        if evidence.axis is self.base.axis:
            return evidence.steps
        counted = [series for series in self.run.series if series.axis is evidence.axis and len(series)]
        if not counted:
            return None
        longest = max(counted, key=len)
        first, last = np.interp(evidence.steps, longest.steps, self.positions(longest)).tolist()
        return first, last


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


def _character(part: Floats, low: float, middle: float, high: float) -> str:
    if not np.isfinite(part).all():
        return NON_FINITE
    # The value farthest from the median, never the mean: a spike of one step must stay visible.
    extreme = float(part[np.abs(part - middle).argmax()])
    share = (extreme - low) / (high - low) if high > low else 0.0
    return _BLOCKS[1 + round(share * (len(_BLOCKS) - 2))]
