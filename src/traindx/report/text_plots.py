"""Plots made of characters."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import groupby

import numpy as np

from traindx.curves.series import shares
from traindx.finding import Evidence
from traindx.format import number, printable, step
from traindx.report.blocks import Plot
from traindx.report.plot_data import NON_FINITE
from traindx.report.results.run import main_series, share_at
from traindx.run import Floats, Run, Series

FIRST_STROKE = "⠒"
SECOND_LETTER = "o"
MARK = "▲"
_DOTS = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))
_BLANK = 0x2800
_APART = 100.0
"""Values this many times apart share a plot only on a logarithmic scale."""
_CROWDED = 0.25
"""So do values most of which would crowd in this share of the height below a few spikes."""
_SCALE = "  log"
"""Said of a logarithmic scale."""
_BARE = 2
"""Rows up to which a plot has no axis."""
_WIDEST, _NARROWEST = 96, 16
"""Columns of the plot."""
_LABEL = 11
"""Columns of a label at the left and of the edge after it, at most."""
_LONGEST_NAME, _SHORTEST_NAME = 24, 5
"""Letters of a name in a legend."""
_DENSE = 0.6
"""Share of columns from which on the second curve is drawn in every other one."""


class Ink(Enum):
    """What a character of the plot belongs to, for formats that have colors."""

    FRAME = "frame"
    FIRST = "first"
    SECOND = "second"
    BAD = "bad"
    MARK = "mark"


@dataclass(frozen=True)
class Piece:
    """Neighboring characters of one ink."""

    text: str
    ink: Ink


Row = tuple[Piece, ...]


@dataclass(frozen=True, eq=False)
class Drawn:
    """One curve to draw: where its points lie, 0 the left edge and 1 the right one, and their values."""

    at: Floats
    values: Floats


@dataclass(frozen=True)
class SmallPlot:
    """Rows of pieces; `logarithmic` if the upright axis is."""

    rows: tuple[Row, ...]
    logarithmic: bool

    @property
    def lines(self) -> tuple[str, ...]:
        """The rows without colors."""
        return tuple("".join(piece.text for piece in row) for row in self.rows)


Cells = dict[tuple[int, int], Piece]


def run_plot(run: Run, evidence: Sequence[Evidence], *, width: int, height: int) -> tuple[Row, ...]:
    """The curve a run is judged by, the validation curve with it, and where the evidence begins.

    More than two rows have an axis below, on which the evidence is marked.
    """
    drawn = [series for series in main_series(run) if len(series) > 1]
    if not drawn:
        return ()
    legend = _legend(drawn, width - _NARROWEST - _LABEL - len(_SCALE) - 2)
    end = f" {drawn[0].axis.value} {step(drawn[0].steps[-1])}"
    beside = max(sum(len(piece.text) for piece in legend) + len(_SCALE) + 2, len(end))
    plot = small_plot(
        [Drawn(shares(run, series), series.values) for series in drawn],
        width=min(width - beside, _WIDEST),
        height=height,
        mark=share_at(run, evidence[0].axis, evidence[0].steps[0]) if evidence else None,
    )
    if plot is None:
        return ()
    first, *others = plot.rows
    scale = (Piece(_SCALE, Ink.FRAME),) if plot.logarithmic else ()
    rows = [(*first, Piece("  ", Ink.FRAME), *legend, *scale), *others]
    rows[-1] = (*rows[-1], Piece(end, Ink.FRAME))
    return tuple(rows)


def xy_plot(plot: Plot, *, width: int) -> tuple[Row, ...]:
    """A curve and single points over a labeled axis."""
    if len(plot.line_at) < 2:
        return ()
    legend = [Piece(f"{FIRST_STROKE} {plot.line}", Ink.FIRST)]
    legend += [Piece(f"  {SECOND_LETTER} {plot.points}", Ink.SECOND)] if plot.points else []
    ends = f" {plot.across} {_rounded(plot.line_at[0])} to {_rounded(plot.line_at[-1])}"
    beside = max(sum(len(piece.text) for piece in legend) + len(_SCALE) + 2, len(ends))
    drawn = small_plot(
        [
            Drawn(_along(plot, plot.line_at), plot.line_values),
            Drawn(_along(plot, plot.points_at), plot.points_values),
        ],
        width=min(width - beside, _WIDEST),
        height=plot.rows,
        mark=None if plot.mark is None else float(_along(plot, np.array([plot.mark]))[0]),
    )
    if drawn is None:
        return ()
    first, *others, last = drawn.rows
    scale = (Piece(_SCALE, Ink.FRAME),) if drawn.logarithmic else ()
    return ((*first, Piece("  ", Ink.FRAME), *legend, *scale), *others, (*last, Piece(ends, Ink.FRAME)))


def _rounded(value: float) -> str:
    return number(float(f"{value:.1g}"))


def _along(plot: Plot, at: Floats) -> Floats:
    """Positions as shares of the axis of the curve; those outside are at its edges."""
    scaled, axis = (np.log(at), np.log(plot.line_at)) if plot.logarithmic else (at, plot.line_at)
    reach = max(float(axis.max() - axis.min()), np.finfo(float).tiny)
    return np.asarray(np.clip((scaled - axis.min()) / reach, 0.0, 1.0))


def _legend(drawn: Sequence[Series], most: int) -> list[Piece]:
    """The names of the curves, shortened until they have at most so many columns."""
    pieces: list[Piece] = []
    for limit in range(_LONGEST_NAME, _SHORTEST_NAME - 1, -1):
        pieces = [Piece(f"{FIRST_STROKE} {_short_name(drawn[0], limit)}", Ink.FIRST)]
        pieces += [
            Piece(f"  {SECOND_LETTER} {_short_name(series, limit)}", Ink.SECOND) for series in drawn[1:]
        ]
        if any(series.first_bad_step is not None for series in drawn):
            pieces.append(Piece(f"  {NON_FINITE} NaN", Ink.BAD))
        if sum(len(piece.text) for piece in pieces) <= most:
            break
    return pieces


def _short_name(series: Series, limit: int) -> str:
    """As in a legend: "train" for the training loss."""
    name = series.quantity.slug.removesuffix("_loss").replace("_", " ")
    return printable(f"{name} {series.part}".strip(), limit)


def small_plot(
    curves: Sequence[Drawn], *, width: int = 60, height: int = 3, mark: float | None = None
) -> SmallPlot | None:
    """One or two curves with their range at the left; None where no value is finite."""
    finite = np.concatenate([curve.values[np.isfinite(curve.values)] for curve in curves])
    if not len(finite):
        return None
    low, high = float(finite.min()), float(finite.max())
    crowded = np.quantile(_heights(finite, low, high, False), 0.95) < _CROWDED
    logarithmic = low > 0 and bool(high / low >= _APART or crowded)
    labels = [""] * height
    # A constant is drawn in the middle, and its one value stands there.
    labels[round((4 * height - 1) / 2) // 4 if low == high else 0] = number(high)
    if low < high:
        labels[-1] = number(low)
    gutter = max(map(len, labels))
    inner = max(width - gutter - len(" │"), _NARROWEST)
    scaled = [Drawn(curve.at, _heights(curve.values, low, high, logarithmic)) for curve in curves]
    cells: Cells = {}
    for curve, draw in zip(scaled, (_in_dots, _in_letters), strict=False):
        cells |= draw(curve, inner, height)
    for curve in scaled:
        cells |= _crosses(curve, inner)
    rows = [_row(cells, row, inner, labels[row].rjust(gutter)) for row in range(height)]
    if height > _BARE:
        rows.append((Piece(" " * gutter + " └", Ink.FRAME), *_axis(inner, mark)))
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
    for position, (top, bottom) in strokes.items():
        for dot in range(top, bottom + 1):
            cell = (dot // 4, position // 2)
            dots[cell] = dots.get(cell, 0) | _DOTS[position % 2][dot % 4]
    return {cell: Piece(chr(_BLANK + bits), Ink.FIRST) for cell, bits in dots.items()}


def _join(strokes: dict[int, tuple[int, int]], begin: tuple[int, int], end: tuple[int, int]) -> None:
    """Lengthen the strokes, and add those between, so that the line has no holes."""
    (left, from_level), (right, to_level) = begin, end
    heights = np.rint(np.linspace(from_level, to_level, 2 * (right - left) + 1)).astype(int)
    for column in range(left, right + 1):
        near = heights[max(0, 2 * (column - left) - 1) : 2 * (column - left) + 2]
        top, bottom = strokes.get(column, (int(near.min()), int(near.max())))
        strokes[column] = (min(top, int(near.min())), max(bottom, int(near.max())))


def _in_letters(curve: Drawn, width: int, height: int) -> Cells:
    known = np.isfinite(curve.values)
    column = _columns(curve.at[known], width)
    level = np.clip(((1 - curve.values[known]) * height).astype(np.int64), 0, height - 1)
    places, starts = np.unique(column, return_index=True)
    dense = len(places) > _DENSE * width
    letters: set[tuple[int, int]] = set()
    before = -height
    for position, rows in zip(places.tolist(), np.split(level, starts[1:]), strict=False):
        middle, extremes = int(np.median(rows)), (int(rows.min()), int(rows.max()))
        letters |= {(row, position) for row in extremes if abs(row - middle) > 1}
        # Where the two lie together, every other column is left to the first curve: it would be hidden.
        if not (dense and position % 2 and abs(middle - before) <= 1):
            letters.add((middle, position))
        before = middle
    return {cell: Piece(SECOND_LETTER, Ink.SECOND) for cell in letters}


def _crosses(curve: Drawn, width: int) -> Cells:
    bad = _columns(curve.at[~np.isfinite(curve.values)], width)
    return {(0, column): Piece(NON_FINITE, Ink.BAD) for column in np.unique(bad).tolist()}


def _row(cells: Cells, row: int, width: int, label: str) -> Row:
    edge = "┤" if label.strip() else "│"
    blank = Piece(" ", Ink.FRAME)
    return (Piece(f"{label} {edge}", Ink.FRAME), *_merged([cells.get((row, x), blank) for x in range(width)]))


def _axis(width: int, mark: float | None) -> Row:
    pieces = [Piece("─", Ink.FRAME)] * width
    if mark is not None:
        pieces[int(_columns(np.array([mark]), width)[0])] = Piece(MARK, Ink.MARK)
    return _merged(pieces)


def _merged(pieces: Sequence[Piece]) -> Row:
    return tuple(
        Piece("".join(piece.text for piece in same), ink) for ink, same in groupby(pieces, lambda p: p.ink)
    )
