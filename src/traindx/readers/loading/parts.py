"""The runs in a log: a file may hold several, one after another.

Where the steps of a log go back, it was resumed from a checkpoint (the same run), or another run began: a
restart from scratch, the next seed, the next component. Only what continues is joined.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from traindx.quantities import COUNTERS
from traindx.readers.loading.continuation import Relation, Seam, seam_between
from traindx.readers.loading.placement import MappedColumn, Placement, place
from traindx.readers.loading.segments import (
    Going,
    Strand,
    joined,
    places_between,
    segments_of,
    series_between,
)
from traindx.readers.types import Column, Log
from traindx.run import Axis, Floats, Quantity, Skipped

_ANEW = Seam(Relation.ANEW)


@dataclass(frozen=True, eq=False)
class PlacedStrand:
    """A strand whose columns have their quantities, and the rows at which its steps go back."""

    strand: Strand
    columns: tuple[Column, ...]
    placement: Placement
    going: Going
    begins: tuple[int, ...]
    """The row at which each log of the strand begins."""
    nowhere: tuple[Skipped, ...] = ()
    """What the log places at no step."""


@dataclass(frozen=True, eq=False)
class Part:
    """One run of a log: what each strand holds of it, and how it follows the run before."""

    strands: tuple[PlacedStrand, ...]
    seam: Seam


@dataclass(frozen=True)
class _Stretch:
    """Rows of a strand that are one run: from one row, or the first, up to another, or the end."""

    start: int | None
    end: int | None
    seam: Seam


def parts_of(strands: Sequence[Strand], names: Mapping[str, Quantity]) -> list[Part]:
    """The runs that strands hold, in the order they were written; the longest strand tells how many."""
    whole = [_placed(strand, names) for strand in strands]
    leading = max(whole, key=_points, default=None)
    if leading is None:
        return []
    led = _stretches(leading)
    if len(led) == 1:
        return [Part(tuple(whole), _ANEW)]
    pieces: list[list[PlacedStrand]] = [[] for _ in led]
    begins = [float(np.min(_times(leading, stretch), initial=np.inf)) for stretch in led]
    for strand in whole:
        same_clock = strand.strand.title == leading.strand.title
        aligned = (
            enumerate(led)
            if strand is leading
            else _aligned(strand, _stretches(strand), begins if same_clock else [np.inf] * len(led))
        )
        for index, stretch in aligned:
            pieces[index].append(_part_of(strand, stretch, names))
    return [Part(tuple(piece), stretch.seam) for piece, stretch in zip(pieces, led, strict=True)]


def _placed(strand: Strand, names: Mapping[str, Quantity]) -> PlacedStrand:
    """A strand with its columns placed."""
    all_logs = joined(strand.logs)
    written = [column for column in all_logs.columns if len(column.values)]
    columns = [_positioned(column) for column in map(_with_finite_steps, written) if len(column.values)]
    placement = place(columns, names, strand.split, strand.part)
    going = segments_of(_measured(placement.placed))
    return PlacedStrand(strand, tuple(columns), placement, going, all_logs.begins, tuple(_nowhere(written)))


def _with_finite_steps(column: Column) -> Column:
    """A column without the values that the log places nowhere: their step is NaN or infinite."""
    finite = np.isfinite(column.steps)
    return column if finite.all() else column.at(finite)


def _nowhere(columns: Sequence[Column]) -> list[Skipped]:
    lost = [(column.name, int(np.count_nonzero(~np.isfinite(column.steps)))) for column in columns]
    return [Skipped(name, number, "the step is NaN or infinite") for name, number in lost if number]


def _positioned(column: Column, *, least: int = 4) -> Column:
    """Count records where the stated steps repeat so often that they cannot be positions."""
    # A log that was restarted or printed twice also repeats steps, but it goes up in between.
    climbs = int(np.count_nonzero(column.steps[1:] > column.steps[:-1]))
    if len(column.steps) < least or climbs * 2 >= len(column.steps) - 1:
        return column
    if len(np.unique(column.steps)) * 2 > len(column.steps):
        return column
    return replace(column, steps=np.arange(len(column.steps), dtype=np.float64), axis=Axis.RECORD)


def _measured(columns: Sequence[MappedColumn]) -> list[Column]:
    """The columns whose steps tell restarts: counters stand in every row, in whatever order rows come."""
    return [p.column for p in columns if p.means.quantity not in COUNTERS] or [p.column for p in columns]


def _points(strand: PlacedStrand) -> int:
    return max((len(column.values) for column in _measured(strand.placement.placed)), default=0)


def _stretches(strand: PlacedStrand) -> list[_Stretch]:
    """The runs of one strand: segments, those that continue the one before joined with it."""
    columns, starts = strand.placement.placed, strand.going.starts
    stretches = [_Stretch(None, None, _ANEW)]
    for number, start in enumerate(starts[1:], start=2):
        end = starts[number] if number < len(starts) else None
        before = series_between(columns, stretches[-1].start, start)
        seam = seam_between(before, series_between(columns, start, end))
        if seam.relation is not Relation.SAME:
            stretches[-1] = replace(stretches[-1], end=start)
            stretches.append(_Stretch(start, None, seam))
    return stretches


def _aligned(
    strand: PlacedStrand, stretches: Sequence[_Stretch], begins: Sequence[float]
) -> list[tuple[int, _Stretch]]:
    """The stretches of a strand with the number of the run each belongs to; those of one run joined.

    By the clock if both strands have the same one. Otherwise the last ones belong together: a file that every
    run overwrites holds the last.
    """
    by_run: dict[int, _Stretch] = {}
    for number, stretch in enumerate(stretches):
        times = _times(strand, stretch)
        earlier = [index for index, begin in enumerate(begins) if len(times) and begin <= np.median(times)]
        behind = max(len(begins) - len(stretches) + number, 0)
        index = earlier[-1] if earlier else behind
        by_run[index] = replace(by_run[index], end=stretch.end) if index in by_run else stretch
    return list(by_run.items())


def _times(strand: PlacedStrand, stretch: _Stretch) -> Floats:
    """When the rows of a stretch were written; nothing without a clock."""
    timed = [column.times[_rows(column, stretch)] for column in strand.columns if column.times is not None]
    return max(timed, key=len, default=np.empty(0))


def _rows(column: Column, stretch: _Stretch) -> slice:
    return places_between(column, stretch.start, stretch.end)


def _part_of(strand: PlacedStrand, stretch: _Stretch, names: Mapping[str, Quantity]) -> PlacedStrand:
    """What a strand holds of one run, its names read without those of the others."""
    if stretch.start is None and stretch.end is None:
        return strand
    part = _placed(_cut(strand, stretch), names)
    first = strand.going.starts[0] if stretch.start is None else stretch.start
    inside = [row for row in strand.going.starts if stretch.end is None or row < stretch.end]
    starts = tuple(row for row in inside if row >= first)
    return replace(part, going=replace(strand.going, starts=starts))


def _cut(strand: PlacedStrand, stretch: _Stretch) -> Strand:
    whole = joined(strand.strand.logs)
    columns = tuple(
        column.at(np.arange(len(column.rows))[_rows(column, stretch)]) for column in whole.columns
    )
    held = [
        _ending(log, begin, stretch)
        for log, begin in zip(strand.strand.logs, whole.begins, strict=True)
        if _is_within(log, begin, stretch)
    ]
    first = replace(held[0], columns=tuple(column for column in columns if len(column.values)))
    return replace(strand.strand, logs=(first, *(replace(log, columns=()) for log in held[1:])))


def _is_within(log: Log, begin: int, stretch: _Stretch) -> bool:
    """Whether a log has rows in a stretch; one without rows states settings of all."""
    last = _last_row(log, begin)
    starts_later = stretch.end is not None and begin >= stretch.end
    return last is None or not (starts_later or (stretch.start is not None and last < stretch.start))


def _ending(log: Log, begin: int, stretch: _Stretch) -> Log:
    """A log with its events only if it ends in a stretch: they tell how its last run ended."""
    last = _last_row(log, begin)
    goes_on = stretch.end is not None and last is not None and last >= stretch.end
    return replace(log, events=()) if goes_on else log


def _last_row(log: Log, begin: int) -> int | None:
    rows = [int(column.rows[-1]) for column in log.columns if len(column.rows)]
    return begin + max(rows) if rows else None
