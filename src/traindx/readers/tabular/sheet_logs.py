"""A table to logs: which words tell the split, which tell the run, and which are settings.

run,step,metric,value         several runs, one number per row
a,0,train/loss,0.61
b,0,train/loss,0.72
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from traindx.readers.names.vocabulary import axis_of, split_of
from traindx.readers.tabular.sheet import Sheet, Words, part_of
from traindx.readers.tabular.table import Cells, Table, columns_of
from traindx.readers.types import SPLITS, Column, Log
from traindx.run import Axis, Event, Rows, Scalar, Skipped, Split


def _listed(names: str) -> frozenset[str]:
    return frozenset(" ".join(name.split()) for name in names.split(";"))


_RUN_NAMES = _listed(
    """run; runs; run id; run name; experiment; experiment id; experiment name; exp; exp id; exp name;
    trial; trial id; trial name; fold; cv fold; seed; random seed; job; job id"""
)
_MODE_NAMES = frozenset("mode split phase stage subset set partition".split())
_METRIC_NAMES = _listed(
    "metric; metric name; metricname; metric key; name; tag; key; variable; measure; series"
)
_VALUE_NAMES = _listed("value; metric value; metricvalue; values; y")
_WHEN_NAMES = _listed("timestamp; time; wall time; walltime; relative time; runtime; id; column 1")
_MOST_RUNS = 1_000


@dataclass(frozen=True, eq=False)
class Origin:
    """What is known about a table besides its rows."""

    source: str
    settings: Mapping[str, Scalar] = field(default_factory=dict)
    events: tuple[Event, ...] = ()
    smoothing: str = ""


def logs_of(sheet: Sheet, origin: Origin) -> Iterable[Log]:
    """One log for each run the table holds."""
    runs = _run_column(sheet)
    if runs is None:
        yield log_of(sheet, origin)
        return
    name, which, texts = runs
    for number, text in enumerate(texts):
        rows = np.flatnonzero(which == number)
        if len(rows):
            part = part_of(sheet, rows, without=name)
            # What the table as a whole does not hold is told once.
            yield log_of(part if number == 0 else replace(part, unread=()), origin, text)


def log_of(sheet: Sheet, origin: Origin, run: str = "") -> Log:
    """The log of a table that holds one run."""
    metric, value = _long_form(sheet)
    mode = _mode_column(sheet, without=metric)
    cells = dict(sheet.cells) if not metric else _pivoted(sheet, metric, value)
    table = Table(sheet.length, cells, _rows_by_split(sheet, mode), sheet.time)
    columns = columns_of(table)
    if metric:
        columns = _with_shared_rows(columns, sheet, mode)
    left = {name: words for name, words in sheet.words.items() if name not in (metric, mode)}
    constant = {name: words.texts[0] for name, words in left.items() if _is_setting(name, words, sheet)}
    unread = tuple(
        Skipped(name, words.count, "text, not a number")
        for name, words in left.items()
        if name not in constant
    )
    return Log(
        source=origin.source,
        columns=columns,
        settings={**origin.settings, **constant},
        events=origin.events,
        unread=sheet.unread + unread,
        smoothing=origin.smoothing,
        run=run,
    )


def _is_setting(name: str, words: Words, sheet: Sheet) -> bool:
    """Whether a column says the same words in row after row, such as the model's name."""
    alike = len(words.texts) == 1 and name not in sheet.cells and words.count * 2 > sheet.length
    # 00:12 is a duration, [0.1, 0.2] a list: neither sets anything.
    return alike and any(map(str.isalpha, words.texts[0])) and words.texts[0][0] not in "[{("


def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", " ", name.lower()).strip()


def _mode_column(sheet: Sheet, without: str) -> str:
    """The column whose words tell the split of a row, or nothing."""
    for name, words in sheet.words.items():
        if name == without or not words.texts:
            continue
        is_split = [split_of(text) is not None for text in words.texts]
        if all(is_split) or (any(is_split) and _plain(name) in _MODE_NAMES):
            return name
    return ""


def _rows_by_split(sheet: Sheet, name: str) -> dict[Split | None, Rows]:
    """The rows of each part of the data that the words of a column name."""
    if not name:
        return {}
    words = sheet.words[name]
    splits = np.zeros(sheet.length, dtype=np.int64)
    splits[words.rows] = np.array([SPLITS.index(split_of(text)) for text in words.texts])[words.codes]
    rows = {split: np.flatnonzero(splits == number) for number, split in enumerate(SPLITS)}
    return {split: own for split, own in rows.items() if len(own)}


def _run_column(sheet: Sheet) -> tuple[str, NDArray[np.int64], tuple[str, ...]] | None:
    """The column that tells the runs of a table apart: its name, the run of each row, the runs' names."""
    for name, words in sheet.words.items():
        which = np.zeros(sheet.length, dtype=np.int64)
        which[words.rows] = words.codes
        if len(words.rows) < sheet.length or all(map(split_of, words.texts)):
            continue
        if _tells_runs(sheet, name, which, len(words.texts)):
            return name, which, words.texts
    for name, cells in sheet.cells.items():
        if _plain(name) not in _RUN_NAMES or len(cells.rows) != sheet.length:
            continue
        values, which = np.unique(cells.values, return_inverse=True)
        if _tells_runs(sheet, name, which, len(values)):
            return name, which, tuple(f"{_plain(name)} {value:g}" for value in values)
    return None


def _tells_runs(sheet: Sheet, name: str, which: Rows, count: int) -> bool:
    """By its name, or because the steps begin anew exactly where it changes."""
    if not 2 <= count <= min(_MOST_RUNS, sheet.length // 2) or _plain(name) in _METRIC_NAMES:
        return False
    if _plain(name) in _RUN_NAMES:
        return True
    positions = [c for n, c in sheet.cells.items() if axis_of(n) and len(c.rows) == sheet.length]
    if not positions or _plain(name) in _MODE_NAMES:
        return False
    changes = which[1:] != which[:-1]
    goes_back = positions[0].values[1:] < positions[0].values[:-1]
    return bool(np.array_equal(changes, goes_back))


def _long_form(sheet: Sheet) -> tuple[str, str]:
    """The columns that name a metric and hold its value, where each row holds one number."""
    metric = next((n for n, words in sheet.words.items() if words.texts and _plain(n) in _METRIC_NAMES), "")
    value = next((name for name in sheet.cells if _plain(name) in _VALUE_NAMES), "")
    others = [name for name in sheet.cells if name != value and not _is_beside_the_point(name, sheet)]
    return (metric, value) if metric and value and not others else ("", "")


def _is_beside_the_point(name: str, sheet: Sheet) -> bool:
    """Whether a column only says where, when or in which run a row was written."""
    where_or_when = axis_of(name) is not None or name == sheet.time or _plain(name) in _WHEN_NAMES
    return where_or_when or _plain(name) in _RUN_NAMES


def _pivoted(sheet: Sheet, metric: str, value: str) -> dict[str, Cells]:
    """One column per metric, beside the columns that say where a row stands."""
    cells = {name: c for name, c in sheet.cells.items() if name != value}
    names, numbers = sheet.words[metric], sheet.cells[value]
    codes = np.full(sheet.length, -1, dtype=np.int32)
    codes[names.rows] = names.codes
    code_of_number = codes[numbers.rows]
    for code, text in enumerate(names.texts):
        chosen = np.flatnonzero(code_of_number == code)
        if len(chosen):
            cells[text] = Cells(numbers.rows[chosen], numbers.values[chosen])
    return cells


def _with_shared_rows(columns: tuple[Column, ...], sheet: Sheet, mode: str) -> tuple[Column, ...]:
    """Number the records anew: consecutive rows at one position were written together."""
    begins = np.zeros(sheet.length, dtype=bool)
    for name, cells in sheet.cells.items():
        if axis_of(name) in (Axis.STEP, Axis.EPOCH, Axis.SAMPLE):
            begins[cells.rows[1:]] |= cells.values[1:] != cells.values[:-1]
    if mode:
        words = sheet.words[mode]
        begins[words.rows[1:]] |= words.codes[1:] != words.codes[:-1]
    record = np.cumsum(begins)
    return tuple(replace(column, rows=record[column.rows]) for column in columns)
