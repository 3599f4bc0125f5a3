"""The type of one strand of a run: logs of one kind that follow each other in time."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from traindx.readers.types import Column, Log
from traindx.run import Axis, Split


@dataclass(frozen=True, eq=False)
class Strand:
    """Logs of one kind that follow each other in time: the event files of a folder, or one file."""

    title: str
    logs: tuple[Log, ...]
    sureness: float = 1.0
    """How surely the format was recognised: of two that hold the same, the surer one is more exact."""
    split: Split | None = None
    """Where the folder tells it: TensorBoard's train/ and validation/."""
    part: str = ""


def joined(logs: Sequence[Log]) -> list[Column]:
    """Columns of the same name become one over all logs, their rows counted on from log to log.

    Logs that share no column, one file per metric, were written side by side: their rows start alike.
    """
    pieces: dict[tuple[object, ...], list[Column]] = {}
    offset = 0
    for log in logs:
        follows = any(_identity(column) in pieces for column in log.columns)
        for column in log.columns:
            shifted = replace(column, rows=column.rows + offset) if follows else column
            pieces.setdefault(_identity(column), []).append(shifted)
        rows = [int(parts[-1].rows[-1]) for parts in pieces.values() if len(parts[-1].rows)]
        offset = 1 + max(rows, default=0)
    return [_chained(parts) for parts in pieces.values()]


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
