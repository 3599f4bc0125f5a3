"""A curve in a row of characters."""

import numpy as np

from traindx.report.blocks import Cell
from traindx.run import Series

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
