"""Rows of a table to columns with positions: what CSV, JSON and text logs have in common.

epoch,step,train_loss,val_loss          every row states where it stands;
0,49,0.61,                              a blank is not a value
0,99,,0.55
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from traindx.readers.names.compounds import words_of
from traindx.readers.names.vocabulary import axis_of, meaning
from traindx.readers.tabular.numbers import are_stamps, in_seconds
from traindx.readers.types import Column
from traindx.run import Axis, Floats, Rows, Split

_FINEST_FIRST = (Axis.STEP, Axis.EPOCH, Axis.SAMPLE)
_TIME_NAMES = ("_timestamp", "timestamp", "wall_time", "walltime", "_runtime", "elapsed_time", "time_elapsed")
_STAMP_NAMES = ("ts", "time", "unix_time", "epoch_time", "time_stamp", "created_at", "logged_at")
"""What a time stamp is called too, but so are other things: these count only where they hold one."""
_EPISODE_NAMES = frozenset(
    ("episode", "episodes", "episode num", "episode number", "episode idx", "n episode")
)


@dataclass(frozen=True, eq=False)
class Cells:
    """The numbers of one table column: only the cells that hold one."""

    rows: Rows
    values: Floats


@dataclass(frozen=True, eq=False)
class Table:
    """A table as it stands in a log: numbers by column, and which rows are of which split."""

    length: int
    cells: Mapping[str, Cells]
    rows_of: Mapping[Split | None, Rows] = field(default_factory=dict)
    """The rows of each split where a column tells it; else empty."""
    time: str = ""
    """The column that says when a row was written, where its name alone would not tell."""


@dataclass(frozen=True, eq=False)
class _Clock:
    """Where every row of a table stands, and the column that says so."""

    name: str
    axis: Axis
    steps: Floats


@np.errstate(over="ignore", invalid="ignore")  # a damaged log may hold any number
def columns_of(table: Table) -> tuple[Column, ...]:
    """Give every number its position, from the columns that count steps, epochs or samples."""
    if not table.rows_of:
        return _placed(table, _clock(table))
    # Validation rows may count otherwise than training rows: epochs, or their own batches.
    parts = [
        (split, rows, Table(len(rows), cells_in(table.cells, rows), time=table.time))
        for split, rows in table.rows_of.items()
    ]
    clocks = [_clock(part) for _, _, part in parts]
    columns: list[Column] = []
    for (split, rows, part), clock in zip(parts, clocks, strict=True):
        placed = _placed(part, _borrowed(rows, clock, parts, clocks))
        columns += [replace(column, rows=rows[column.rows], split=split) for column in placed]
    return tuple(columns)


@np.errstate(over="ignore", invalid="ignore")
def whole_run_steps(epochs: Floats, steps: Floats) -> Floats:
    """Steps that start over in each epoch become steps since the start of the run.

    Only where they go back with most new epochs: a step that goes back alone is a restart, and stays visible.
    """
    if len(steps) < 2:
        return steps
    passes = np.floor(epochs)
    climbs = np.diff(steps)
    new_epoch = np.diff(passes) > 0
    went_back = int(np.count_nonzero(climbs[new_epoch] < 0))
    went_on = int(np.count_nonzero(climbs[new_epoch] > 0))
    if went_back == 0 or went_back < went_on:
        return steps
    gaps = climbs[(climbs > 0) & ~new_epoch]
    gap = float(np.median(gaps)) if len(gaps) else 1.0
    # 0, 10, ... 90 and 1, 11, ... 91 and 10, 20, ... 100 are all a hundred steps.
    length = max(float(steps.max()) + gap - float(steps.min()), 1.0)
    # A log that begins at epoch 7 continues an older one, whose epochs began at 0 or at 1.
    first = min(float(passes.min()), 1.0)
    result: Floats = (passes - first) * length + steps
    return result


def cells_in(cells: Mapping[str, Cells], rows: Rows) -> dict[str, Cells]:
    """The cells that stand in some rows, which are numbered anew."""
    by_name: dict[str, Cells] = {}
    for name, old in cells.items():
        keep = np.isin(old.rows, rows, assume_unique=True)
        if keep.any():
            by_name[name] = Cells(np.searchsorted(rows, old.rows[keep]), old.values[keep])
    return by_name


def _borrowed(
    rows: Rows, clock: _Clock, parts: Sequence[tuple[Split | None, Rows, Table]], clocks: Sequence[_Clock]
) -> _Clock:
    """The steps of the rows written before, for rows that state an epoch at most."""
    longest = max(range(len(parts)), key=lambda i: parts[i][2].length)
    main, main_rows = clocks[longest], parts[longest][1]
    if clock.axis not in (Axis.EPOCH, Axis.RECORD) or main.axis not in (Axis.STEP, Axis.SAMPLE):
        return clock
    part = next(part for _, own, part in parts if own is rows)
    if any(axis_of(name) is main.axis for name in part.cells):
        return clock  # it has a count of its own, which was found to be no position
    before = np.maximum(np.searchsorted(main_rows, rows) - 1, 0)
    return _Clock("", main.axis, main.steps[before])


def _placed(table: Table, clock: _Clock) -> tuple[Column, ...]:
    timed = _time_name(table)
    wall = _seconds(table, timed) if timed else None
    columns: list[Column] = []
    for name, cells in table.cells.items():
        # A time stamp that is no quantity of its own is not lost: every column carries it.
        carried = name == timed and (meaning(name) is None or _spelled(name) in _STAMP_NAMES)
        if name == clock.name or not len(cells.rows) or carried:
            continue
        # Columns without blanks share one array of steps: a wide table would else hold it many times.
        full = len(cells.rows) == table.length
        columns.append(
            Column(
                name=name,
                values=cells.values,
                steps=clock.steps if full else clock.steps[cells.rows],
                rows=cells.rows,
                axis=clock.axis,
                times=wall if wall is None or full else wall[cells.rows],
            )
        )
    return tuple(columns)


def _time_name(table: Table) -> str | None:
    """The column that says when each row was written."""
    if table.time in table.cells:
        return table.time
    names = {_spelled(name): name for name in reversed(list(table.cells)) if len(table.cells[name].rows)}
    named = next((names[name] for name in _TIME_NAMES if name in names), None)
    stamps = (names[name] for name in _STAMP_NAMES if name in names)
    return named or next((name for name in stamps if are_stamps(table.cells[name].values)), None)


def _spelled(name: str) -> str:
    return name.lower().rpartition("/")[2].replace(" ", "_")


def _seconds(table: Table, name: str) -> Floats | None:
    return in_seconds(_spread(table.cells[name], table.length)) if len(table.cells[name].rows) else None


def _clock(table: Table) -> _Clock:
    """The position of every row, by the finest count that behaves like one."""
    epochs = _epochs(table)
    for name, axis in _candidates(table):
        steps = _spread(_finite(table.cells[name]), table.length)
        if axis is Axis.STEP and epochs is not None and not _counts_episodes(name):
            steps = whole_run_steps(epochs, steps)
        if _goes_up(steps) and not _stands_still(table, steps):
            return _Clock(name, axis, steps)
    axis = Axis.EPOCH if _is_history(table) else Axis.RECORD
    return _Clock("", axis, np.arange(table.length, dtype=np.float64))


def _is_history(table: Table) -> bool:
    """Whether every row holds loss and val_loss, acc and val_acc: Keras' History, a row per epoch."""
    held_out = [name for name in table.cells if name.startswith("val_")]
    pairs = [name for held in held_out for name in (held, held.removeprefix("val_"))]
    return bool(pairs) and all(
        name in table.cells and len(table.cells[name].rows) == table.length for name in pairs
    )


def _epochs(table: Table) -> Floats | None:
    epochs = (_finite(cells) for name, cells in table.cells.items() if axis_of(name) is Axis.EPOCH)
    return next((_spread(cells, table.length) for cells in epochs if len(cells.rows)), None)


def _candidates(table: Table) -> list[tuple[str, Axis]]:
    """The columns that count something, the one to be preferred first."""
    axes = [(name, _axis_of(name)) for name, cells in table.cells.items() if np.isfinite(cells.values).any()]
    counting = [(name, axis) for name, axis in axes if axis is not None]
    return sorted(
        counting,
        key=lambda item: (
            # Beside any other count they are no position: Stable-Baselines has both.
            _counts_episodes(item[0]),
            len(table.cells[item[0]].rows) * 2 < table.length,  # a count that few rows state
            _FINEST_FIRST.index(item[1]),
            _within_epoch(item[0]),
        ),
    )


def _axis_of(name: str) -> Axis | None:
    return Axis.STEP if _counts_episodes(name) else axis_of(name)


def _counts_episodes(name: str) -> bool:
    return " ".join(words_of(name)) in _EPISODE_NAMES


def _within_epoch(name: str) -> int:
    """How likely a count of steps starts over in each epoch, by its name: 0 never, 3 mostly."""
    words = set(re.split(r"[\W_]+", name.lower().rpartition("/")[2]))
    if not words.isdisjoint({"global", "num", "total", "updates", "optimizer", "iteration", "iterations"}):
        return 0
    if name.lower() == "_step":
        return 1
    return 3 if not words.isdisjoint({"batch", "batches", "minibatch", "iter", "it", "itr"}) else 2


def _goes_up(steps: Floats, *, least: int = 6) -> bool:
    """Whether numbers mostly grow: the length of an episode is called "steps" too, and goes up and down."""
    climbs = np.diff(steps)
    changes = int(np.count_nonzero(climbs))
    return changes < least or int(np.count_nonzero(climbs < 0)) * 3 <= changes


def _stands_still(table: Table, steps: Floats) -> bool:
    """Whether most values of the longest column would share a position with the value before."""
    metrics = [cells for name, cells in table.cells.items() if _axis_of(name) is None]
    if not metrics:
        return False
    longest = max(metrics, key=lambda cells: len(cells.rows))
    changes = int(np.count_nonzero(np.diff(steps[longest.rows])))
    return changes * 2 < len(longest.rows) - 1


def _finite(cells: Cells) -> Cells:
    keep = np.isfinite(cells.values)
    return cells if bool(keep.all()) else Cells(cells.rows[keep], cells.values[keep])


def _spread(cells: Cells, length: int) -> Floats:
    """One value per row: a blank repeats the row before it, leading blanks take the first value."""
    if len(cells.rows) == length:
        return cells.values
    if len(cells.rows) == 0:
        return np.zeros(length)
    which = np.searchsorted(cells.rows, np.arange(length), side="right") - 1
    return cells.values[np.maximum(which, 0)]
