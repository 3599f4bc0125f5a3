"""Logs that follow each other in time, and the rows at which a run was resumed or started over.

Each column that goes back does so somewhere between two of its rows. The fewest cuts that explain all of
them are the boundaries (stabbing intervals, greedily by their right ends), so a validation row written
before the first training row of a restart belongs to the restart.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from traindx.format import count
from traindx.readers.loading.placement import MappedColumn
from traindx.readers.types import Column, Log, last_of_each_step
from traindx.run import Axis, Begins, Event, EventKind, Rows, Segment, Series, Split


@dataclass(frozen=True, eq=False)
class Strand:
    """Logs of one kind that follow each other in time: the event files of a folder, or one file."""

    title: str
    logs: tuple[Log, ...]
    sureness: float = 1.0
    """How surely the format was recognized: of two that hold the same, the surer one is more exact."""
    split: Split | None = None
    """Where the folder tells it: TensorBoard's train/ and validation/."""
    part: str = ""


@dataclass(frozen=True, eq=False)
class Joined:
    """The columns of several logs, and the row at which each of the logs begins."""

    columns: tuple[Column, ...]
    begins: tuple[int, ...]


def joined(logs: Sequence[Log]) -> Joined:
    """Columns of the same name become one over all logs, their rows counted on from log to log.

    Logs that share no column, one file per metric, were written side by side: their rows start alike.
    """
    pieces: dict[tuple[object, ...], list[Column]] = {}
    begins: list[int] = []
    offset = 0
    for log in logs:
        follows = any(_identity(column) in pieces for column in log.columns)
        begins.append(offset if follows else 0)
        for column in log.columns:
            shifted = replace(column, rows=column.rows + offset) if follows else column
            pieces.setdefault(_identity(column), []).append(shifted)
        rows = [int(parts[-1].rows[-1]) for parts in pieces.values() if len(parts[-1].rows)]
        offset = 1 + max(rows, default=0)
    return Joined(tuple(_chained(parts) for parts in pieces.values()), tuple(begins))


def _identity(column: Column) -> tuple[object, ...]:
    return column.name, column.split, column.quantity, column.layer, column.part, column.axis


def _chained(parts: Sequence[Column]) -> Column:
    if len(parts) == 1:
        return parts[0]
    timed = [part.times for part in parts if part.times is not None]
    return replace(
        parts[0],
        values=np.concatenate([part.values for part in parts]),
        steps=np.concatenate([part.steps for part in parts]),
        rows=np.concatenate([part.rows for part in parts]),
        times=np.concatenate(timed) if len(timed) == len(parts) else None,
    )


def counting_epochs(strands: Sequence[Strand]) -> list[Strand]:
    """Mark the columns that count epochs beside columns that count steps.

    TensorBoard's step is any number the program passed. A column that was written over the same time as
    another, one by one, and still counts many times less does not count the same thing.
    """
    columns = [c for strand in strands for log in strand.logs for c in log.columns if _on_a_clock(c)]
    if not columns:
        return list(strands)
    finest = max(columns, key=lambda column: float(column.steps.max()))
    return [
        replace(strand, logs=tuple(_with_epochs(log, finest) for log in strand.logs)) for strand in strands
    ]


def _on_a_clock(column: Column) -> bool:
    return column.axis is Axis.STEP and column.times is not None and len(column.steps) > 1


def _with_epochs(log: Log, finest: Column) -> Log:
    marked = tuple(
        replace(column, axis=Axis.EPOCH) if _counts_less(column, finest) else column for column in log.columns
    )
    return replace(log, columns=marked)


def _counts_less(column: Column, finest: Column, *, ratio: float = 5.0, overlap: float = 0.5) -> bool:
    if not _on_a_clock(column) or column.times is None or finest.times is None:
        return False
    one_by_one = bool(np.median(np.diff(column.steps)) == 1)
    shared = min(column.times.max(), finest.times.max()) - max(column.times.min(), finest.times.min())
    all_along = bool(shared > overlap * (finest.times.max() - finest.times.min()))
    return one_by_one and all_along and bool(0 < column.steps.max() * ratio < finest.steps.max())


@dataclass(frozen=True)
class Going:
    """How the rows of a log follow each other."""

    starts: tuple[int, ...]
    """The first row of each segment; always holds the first row of all."""
    ordered: bool = True
    """False where rows follow no order of steps at all, so that going back means nothing."""


def segments_of(columns: Sequence[Column]) -> Going:
    """The rows at which segments begin."""
    if not columns:
        return Going(starts=(0,))
    first = min(int(column.rows[0]) for column in columns)
    cuts = _fewest_cuts(_setbacks(columns))
    longest = max(columns, key=lambda column: len(column.values))
    # A log whose longest column goes back after every other point was never in order of steps.
    if len(cuts) + 1 > max(2, len(longest.values) / 2):
        return Going(starts=(first,), ordered=False)
    return Going(starts=(first, *_without_echoes(columns, cuts)))


def _setbacks(columns: Sequence[Column]) -> list[tuple[int, int]]:
    """The pairs of rows between which some column goes back."""
    pairs: list[tuple[int, int]] = []
    for column in columns:
        back = np.flatnonzero(column.steps[1:] < column.steps[:-1])
        pairs.extend(zip(column.rows[back].tolist(), column.rows[back + 1].tolist(), strict=True))
    return pairs


def _fewest_cuts(pairs: list[tuple[int, int]]) -> list[int]:
    cuts: list[int] = []
    for before, after in sorted(pairs, key=lambda pair: pair[1]):
        if not cuts or cuts[-1] <= before:
            cuts.append(after)
    return cuts


def _without_echoes(columns: Sequence[Column], cuts: Sequence[int]) -> list[int]:
    """Drop the cuts after which nothing but what was already written is written again."""
    if not cuts:
        return []
    real: list[int] = []
    fresh = [(column, _is_first_writing(column)) for column in columns]
    for cut, end in zip(cuts, (*cuts[1:], None), strict=True):
        if any(_repeats_with_new_values(column, mask, cut, end) for column, mask in fresh):
            real.append(cut)
    return real


def _repeats_with_new_values(column: Column, fresh: Rows, start: int, end: int | None) -> bool:
    cut = places_between(column, start, end)
    steps = column.steps[cut][fresh[cut].astype(bool)]
    return cut.start > 0 and len(steps) > 0 and float(steps.min()) <= float(column.steps[: cut.start].max())


def _is_first_writing(column: Column) -> Rows:
    """1 for each point whose step and value did not stand in the column before."""
    pairs = np.empty(len(column.steps), dtype=[("step", np.float64), ("bits", np.int64)])
    pairs["step"] = column.steps
    pairs["bits"] = np.ascontiguousarray(column.values).view(np.int64)  # so that NaN equals NaN
    _, first = np.unique(pairs, return_index=True)
    mask = np.zeros(len(pairs), dtype=np.int64)
    mask[first] = 1
    return mask


def segments_between(placed: Sequence[MappedColumn], going: Going) -> tuple[Segment, ...]:
    """What was written from one beginning of a run to the next."""
    if not placed:
        return ()
    # What was written before the first beginning is with it.
    edges = (None, *going.starts[1:], None)
    segments: list[Segment] = []
    for start, end in pairwise(edges):
        segments.append(_segment(series_between(placed, start, end), segments))
    return tuple(segments)


def series_between(placed: Sequence[MappedColumn], start: int | None, end: int | None) -> tuple[Series, ...]:
    """The series of the rows from one up to another."""
    cuts = [(p, places_between(p.column, start, end)) for p in placed]
    return tuple(series_of(p, cut) for p, cut in cuts if cut.stop > cut.start)


def places_between(column: Column, start: int | None, end: int | None) -> slice:
    """Where in a column the values of the rows from one up to another lie."""
    low = 0 if start is None else int(np.searchsorted(column.rows, start))
    return slice(low, len(column.rows) if end is None else int(np.searchsorted(column.rows, end)))


def _segment(series: tuple[Series, ...], earlier: Sequence[Segment]) -> Segment:
    longest = max(series, key=len)
    first, last = float(longest.steps[0]), float(longest.steps[-1])
    if not earlier:
        begins = Begins.START
    else:
        begins = Begins.RESUME if first > earlier[0].first_step else Begins.RESTART
    return Segment(begins, first, last, longest.axis, series)


def series_of(placed: MappedColumn, cut: slice = slice(None)) -> Series:
    """The values of a column, or of a cut of it, one for each step."""
    column = placed.column
    steps = column.steps[cut]
    keep = last_of_each_step(steps)
    return Series(
        quantity=placed.means.quantity,
        steps=steps[keep],
        values=column.values[cut][keep],
        axis=column.axis,
        part=placed.means.part,
        layer=placed.means.layer,
        name=column.name,
    )


def superseded_notes(placed: Sequence[MappedColumn], going: Going) -> list[str]:
    """Say how many points a later one with the same step replaced within one segment."""
    if len(going.starts) > 1:
        return []
    notes: list[str] = []
    for item in placed:
        column = item.column
        keep = last_of_each_step(column.steps)
        if isinstance(keep, slice):
            continue
        kept = column.values[keep][np.searchsorted(column.steps[keep], column.steps)]
        differing = int(
            np.count_nonzero((kept != column.values) & ~(np.isnan(kept) & np.isnan(column.values)))
        )
        if differing:
            notes.append(
                f"{column.name}: {count(differing, 'value')} replaced by a later value of the same step"
            )
    return notes


def resumptions(segments: Sequence[Segment]) -> tuple[Event, ...]:
    """The beginnings after the first."""
    return tuple(
        Event(
            EventKind.RESUMED,
            f"{segment.begins.value} at {segment.axis.value} {segment.first_step:g}",
            segment.first_step,
        )
        for segment in segments[1:]
    )
