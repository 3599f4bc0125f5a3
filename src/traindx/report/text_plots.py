"""Plots made of characters."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import groupby

import numpy as np

from traindx.format import number
from traindx.run import Floats, Series

_BLOCKS = " ▁▂▃▄▅▆▇█"

NON_FINITE = "×"


def sparkline(series: Series, width: int = 16) -> str:
    """One character per stretch of the run: its most extreme value, or a cross where one is not finite."""
    stretches = [part for part in np.array_split(series.values, min(width, len(series))) if len(part)]
    finite = series.finite.values
    if not len(finite):
        return NON_FINITE * len(stretches)
    low, middle, high = float(finite.min()), float(np.median(finite)), float(finite.max())
    return "".join(_character(part, low, middle, high) for part in stretches)


def _character(
    part: np.ndarray[tuple[int], np.dtype[np.float64]], low: float, middle: float, high: float
) -> str:
    if not np.isfinite(part).all():
        return NON_FINITE
    # The value farthest from the median, never the mean: a spike of one step must stay visible.
    extreme = float(part[np.abs(part - middle).argmax()])
    share = (extreme - low) / (high - low) if high > low else 0.0
    return _BLOCKS[1 + round(share * (len(_BLOCKS) - 2))]


FIRST_STROKE = "⠒"

SECOND_LETTER = "o"

MARK = "▲"

_DOTS = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))

_BLANK = 0x2800

_APART = 100.0
"""Values this many times apart share a plot only on a logarithmic scale."""

_CROWDED = 0.25
"""So do values most of which would crowd in this share of the height below a few spikes."""

_DENSE = 0.6
"""Share of columns from which on the second curve is drawn in every other one."""


class Ink(Enum):
    """What a character of the plot belongs to, for renderers that have colours."""

    FRAME = "frame"
    FIRST = "first"
    SECOND = "second"
    BAD = "bad"
    MARK = "mark"


@dataclass(frozen=True)
class Piece:
    """Neighbouring characters of one ink."""

    text: str
    ink: Ink


@dataclass(frozen=True, eq=False)
class Drawn:
    """One curve to draw: where its points lie, 0 the left edge and 1 the right one, and their values."""

    at: Floats
    values: Floats


@dataclass(frozen=True)
class SmallPlot:
    """Rows of pieces; `logarithmic` if the upright axis is."""

    rows: tuple[tuple[Piece, ...], ...]
    logarithmic: bool

    @property
    def lines(self) -> tuple[str, ...]:
        """The rows without colours."""
        return tuple("".join(piece.text for piece in row) for row in self.rows)


Cells = dict[tuple[int, int], Piece]


def small_plot(
    curves: Sequence[Drawn],
    *,
    width: int = 60,
    height: int = 8,
    ends: tuple[str, str] = ("", ""),
    mark: tuple[float, float] | None = None,
    mark_label: str = "",
) -> SmallPlot | None:
    """One or two curves with their range at the left and `ends` below; None where no value is finite."""
    finite = np.concatenate([curve.values[np.isfinite(curve.values)] for curve in curves])
    if not len(finite):
        return None
    low, high = float(finite.min()), float(finite.max())
    crowded = np.quantile(_heights(finite, low, high, False), 0.95) < _CROWDED
    logarithmic = low > 0 and bool(high / low >= _APART or crowded)
    scaled = [Drawn(curve.at, _heights(curve.values, low, high, logarithmic)) for curve in curves]
    cells: Cells = {}
    for curve, draw in zip(scaled, (_in_dots, _in_letters), strict=False):
        cells |= draw(curve, width, height)
    for curve in scaled:
        cells |= _crosses(curve, width)
    labels = [""] * height
    # A constant is drawn in the middle, and its one value stands there.
    labels[round((4 * height - 1) / 2) // 4 if low == high else 0] = number(high)
    if low < high:
        labels[-1] = number(low)
    gutter = max(map(len, labels))
    rows = [_row(cells, row, width, labels[row].rjust(gutter)) for row in range(height)]
    rows.append((Piece(" " * gutter + " └", Ink.FRAME), *_axis(width, mark)))
    rows.append((Piece(" " * (gutter + 2), Ink.FRAME), *_below(width, ends, mark, mark_label)))
    return SmallPlot(tuple(rows), logarithmic)


def _heights(values: Floats, low: float, high: float, logarithmic: bool) -> Floats:
    """Values as a share of the plot's height, 0 at the bottom; NaN for what is not finite."""
    known = np.where(np.isfinite(values), values, np.nan)
    if high == low:
        return np.asarray(known * 0.0 + 0.5)
    if logarithmic:
        return np.asarray((np.log(known) - np.log(low)) / (np.log(high) - np.log(low)))
    # Halves first: the difference of two huge numbers may overflow.
    return np.asarray((known / 2 - low / 2) / (high / 2 - low / 2))


def _columns(at: Floats, width: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.clip((at * width).astype(np.int64), 0, width - 1)


def _in_dots(curve: Drawn, width: int, height: int) -> Cells:
    known = np.isfinite(curve.values)
    if not known.any():
        return {}
    column = _columns(curve.at[known], 2 * width)
    level = np.rint((1 - curve.values[known]) * (4 * height - 1)).astype(np.int64)
    starts = np.flatnonzero(np.r_[True, column[1:] != column[:-1]])
    tops, bottoms = np.minimum.reduceat(level, starts), np.maximum.reduceat(level, starts)
    firsts, lasts, places = level[starts], level[np.r_[starts[1:], len(level)] - 1], column[starts]
    strokes = dict(zip(places.tolist(), zip(tops.tolist(), bottoms.tolist(), strict=True), strict=True))
    for left in range(len(places) - 1):
        _join(strokes, (int(places[left]), int(lasts[left])), (int(places[left + 1]), int(firsts[left + 1])))
    dots: dict[tuple[int, int], int] = {}
    for place, (top, bottom) in strokes.items():
        for dot in range(top, bottom + 1):
            cell = (dot // 4, place // 2)
            dots[cell] = dots.get(cell, 0) | _DOTS[place % 2][dot % 4]
    return {cell: Piece(chr(_BLANK + bits), Ink.FIRST) for cell, bits in dots.items()}


def _join(strokes: dict[int, tuple[int, int]], begin: tuple[int, int], end: tuple[int, int]) -> None:
    """Lengthen the strokes, and add those between, so that the line has no holes."""
    (left, from_level), (right, to_level) = begin, end
    heights = np.rint(np.linspace(from_level, to_level, 2 * (right - left) + 1)).astype(int)
    for place in range(left, right + 1):
        near = heights[max(0, 2 * (place - left) - 1) : 2 * (place - left) + 2]
        top, bottom = strokes.get(place, (int(near.min()), int(near.max())))
        strokes[place] = (min(top, int(near.min())), max(bottom, int(near.max())))


def _in_letters(curve: Drawn, width: int, height: int) -> Cells:
    known = np.isfinite(curve.values)
    column = _columns(curve.at[known], width)
    level = np.clip(((1 - curve.values[known]) * height).astype(np.int64), 0, height - 1)
    places, starts = np.unique(column, return_index=True)
    dense = len(places) > _DENSE * width
    letters: set[tuple[int, int]] = set()
    before = -height
    for place, rows in zip(places.tolist(), np.split(level, starts[1:]), strict=False):
        middle, extremes = int(np.median(rows)), (int(rows.min()), int(rows.max()))
        letters |= {(row, place) for row in extremes if abs(row - middle) > 1}
        # Where the two lie together, every other column is left to the first curve: it would be hidden.
        if not (dense and place % 2 and abs(middle - before) <= 1):
            letters.add((middle, place))
        before = middle
    return {cell: Piece(SECOND_LETTER, Ink.SECOND) for cell in letters}


def _crosses(curve: Drawn, width: int) -> Cells:
    bad = _columns(curve.at[~np.isfinite(curve.values)], width)
    return {(0, place): Piece(NON_FINITE, Ink.BAD) for place in np.unique(bad).tolist()}


def _row(cells: Cells, row: int, width: int, label: str) -> tuple[Piece, ...]:
    edge = "┤" if label.strip() else "│"
    blank = Piece(" ", Ink.FRAME)
    return (Piece(f"{label} {edge}", Ink.FRAME), *_merged([cells.get((row, x), blank) for x in range(width)]))


def _axis(width: int, mark: tuple[float, float] | None) -> tuple[Piece, ...]:
    pieces = [Piece("─", Ink.FRAME)] * width
    if mark:
        first, last = _columns(np.array(mark), width).tolist()
        pieces[first : last + 1] = [Piece(MARK, Ink.MARK), *[Piece("━", Ink.MARK)] * (last - first)]
    return _merged(pieces)


def _below(
    width: int, ends: tuple[str, str], mark: tuple[float, float] | None, label: str
) -> tuple[Piece, ...]:
    left, right = ends
    pieces = [Piece(c, Ink.FRAME) for c in left + right.rjust(width - len(left))]
    if mark and label:
        # Centred under the arrow, but never over the ends: the place stands in the verdict as well.
        place = int(_columns(np.array(mark), width)[0]) - len(label) // 2
        if len(left) + 2 <= place and place + len(label) + 2 <= width - len(right):
            pieces[place : place + len(label)] = [Piece(c, Ink.MARK) for c in label]
    return _merged(pieces)


def _merged(pieces: Sequence[Piece]) -> tuple[Piece, ...]:
    return tuple(
        Piece("".join(piece.text for piece in same), ink) for ink, same in groupby(pieces, lambda p: p.ink)
    )
