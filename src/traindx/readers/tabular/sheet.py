"""A table as it grows, block by block: the numbers and the words of each column, from cells or from records.

epoch,phase,loss,time
1,train,0.61,2024-05-01 12:00:03      phase holds words, time holds moments
1,val,0.55,2024-05-01 12:00:09

{"step": 10, "train": {"loss": 0.61}, "lr": "1e-4"}      nested names are joined by "/", text may be a number
{"step": 10, "val_loss": NaN, "per_class": [0.1, 0.2]}   records differ; null and lists are no values
"""

import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from operator import methodcaller

import numpy as np
from numpy.typing import NDArray

from traindx.readers.names.vocabulary import axis_of
from traindx.readers.tabular.numbers import moment_in, number_in, progress_in
from traindx.readers.tabular.table import Cells, cells_in
from traindx.readers.types import last_of_each_step
from traindx.run import Floats, Rows, Skipped

_MOST_WORDS = 5_000


@dataclass(frozen=True, eq=False)
class Words:
    """The words of one column: which row holds which of a few texts."""

    rows: Rows
    codes: NDArray[np.int32]
    texts: tuple[str, ...]
    """The different texts, in the order they appear; empty where there are too many to keep."""
    count: int


@dataclass(frozen=True, eq=False)
class Sheet:
    """A whole table, numbers and words."""

    length: int
    cells: Mapping[str, Cells]
    words: Mapping[str, Words]
    time: str
    """The column that holds dates and times, read as seconds; empty where there is none."""
    unread: tuple[Skipped, ...]


def part_of(sheet: Sheet, rows: Rows, without: str = "") -> Sheet:
    """The part of a table that stands in some rows, numbered anew; one column may be left out."""
    cells = {name: cell for name, cell in cells_in(sheet.cells, rows).items() if name != without}
    words: dict[str, Words] = {}
    for name, texts in sheet.words.items():
        keep = np.isin(texts.rows, rows, assume_unique=True)
        if name != without and keep.any():
            used, codes = np.unique(texts.codes[keep], return_inverse=True)
            words[name] = Words(
                np.searchsorted(rows, texts.rows[keep]),
                codes.astype(np.int32),
                tuple(texts.texts[code] for code in used),
                int(np.count_nonzero(keep)),
            )
    return replace(sheet, length=len(rows), cells=cells, words=words)


class SheetBuilder:
    """Collects the rows of a table in the order they are written."""

    def __init__(self) -> None:
        self.length = 0
        self._numbers: dict[str, list[tuple[int, Rows | None, Floats]]] = {}
        self._words: dict[str, _GrowingWords] = {}
        self._time = ""
        self._skipped: dict[tuple[str, str], int] = {}

    def begin_rows(self, count: int) -> int:
        """Make room for rows and return the number of the first; the cells follow."""
        self.length += count
        return self.length - count

    def add_numbers(self, name: str, first: int, rows: Rows | None, values: Floats) -> None:
        """Add numbers to a column: of all rows from `first` on, or of the `rows` counted from there."""
        if len(values):
            self._numbers.setdefault(name, []).append((first, rows, values))

    def add_texts(self, name: str, first: int, rows: Rows | None, texts: Sequence[str]) -> None:
        """Add cells that may hold numbers, words or nothing."""
        numbers, words = _sorted_out(texts)
        which = np.arange(len(texts)) if rows is None else rows
        self.add_numbers(name, first, which[list(numbers)], np.array(list(numbers.values())))
        if not words:
            return
        where, spelled = which[list(words)], list(words.values())
        # 3/100 is the third of a hundred where steps or epochs are counted; elsewhere it may be a score.
        for read in (moment_in, progress_in) if axis_of(name) else (moment_in,):
            counted = _all_by(read, spelled)
            if counted is not None:
                self.add_numbers(name, first, where, counted)
                self._time = self._time or (name if read is moment_in else "")
                return
        self._words.setdefault(name, _GrowingWords()).add(first + where, spelled)

    def skip(self, name: str, count: int, why: str) -> None:
        """Count something that stands in the log and is not read."""
        if count:
            self._skipped[name, why] = self._skipped.get((name, why), 0) + count

    def finish(self) -> Sheet:
        """The whole table; the builder is empty afterward."""
        everything = np.arange(self.length, dtype=np.int64)
        cells: dict[str, Cells] = {}
        for name in list(self._numbers):
            # One column at a time, so that pieces and whole are in memory together for one column only.
            cells[name] = _joined(self._numbers.pop(name), everything)
        words = {name: growing.finish() for name, growing in self._words.items()}
        unread = tuple(Skipped(name, count, why) for (name, why), count in self._skipped.items())
        return Sheet(self.length, cells, words, self._time, unread)


def _joined(pieces: list[tuple[int, Rows | None, Floats]], everything: Rows) -> Cells:
    values = np.concatenate([values for _, _, values in pieces])
    if len(values) == len(everything) and all(rows is None for _, rows, _ in pieces):
        return Cells(everything, values)
    rows = [
        np.arange(first, first + len(values)) if rows is None else first + rows
        for first, rows, values in pieces
    ]
    where = np.concatenate(rows)
    # A column that is met twice in a row, or as number and as date: rows go up, the last cell counts.
    keep = last_of_each_step(where)
    return Cells(where[keep], values[keep])


def _sorted_out(texts: Sequence[str]) -> tuple[dict[int, float], dict[int, str]]:
    """The numbers and the words among cells, by place."""
    numbers: dict[int, float] = {}
    words: dict[int, str] = {}
    known: dict[str, float | str | None] = {}
    for index, text in enumerate(texts):
        if text not in known:
            try:
                known[text] = number_in(text)
            except ValueError:
                known[text] = text.strip()
        content = known[text]
        if isinstance(content, float):
            numbers[index] = content
        elif content is not None:
            words[index] = content
    return numbers, words


def _all_by(read: Callable[[str], float], texts: Sequence[str]) -> Floats | None:
    try:
        return np.array([read(text) for text in texts])
    except (ValueError, OverflowError):
        return None


class _GrowingWords:
    """The words of a column so far."""

    def __init__(self) -> None:
        self._codes_of: dict[str, int] = {}
        self._rows: list[Rows] = []
        self._codes: list[NDArray[np.int32]] = []
        self._count = 0

    def add(self, rows: Rows, texts: Sequence[str]) -> None:
        self._count += len(texts)
        if len(self._codes_of) > _MOST_WORDS:
            return
        codes = [self._codes_of.setdefault(text, len(self._codes_of)) for text in texts]
        self._rows.append(rows)
        self._codes.append(np.array(codes, dtype=np.int32))

    def finish(self) -> Words:
        if len(self._codes_of) > _MOST_WORDS:
            return Words(np.zeros(0, np.int64), np.zeros(0, np.int32), (), self._count)
        return Words(
            np.concatenate(self._rows), np.concatenate(self._codes), tuple(self._codes_of), self._count
        )


Record = Mapping[str, object]
_DEEPEST = 8
_VALUES = methodcaller("values")
_NO_NUMBERS = {list: "a list in each record, not a number", bool: "true or false, not a number"}


def sheet_of(records: Sequence[Record]) -> Sheet:
    """The table of records, a row each."""
    builder = SheetBuilder()
    add_records(builder, records)
    return builder.finish()


def add_records(builder: SheetBuilder, records: Sequence[Record]) -> None:
    """Add one row for each record."""
    if not records:
        return
    first = builder.begin_rows(len(records))
    _add_alike(builder, first, None, records)


def _add_alike(builder: SheetBuilder, first: int, rows: Rows | None, records: Sequence[Record]) -> None:
    """Add records kind by kind: those with the same names in the same order make columns."""
    names = list(map(tuple, records))
    if names.count(names[0]) == len(names):
        _add_kind(builder, first, rows, names[0], records)
        return
    kinds: dict[tuple[str, ...], list[int]] = {}
    for index, kind in enumerate(names):
        kinds.setdefault(kind, []).append(index)
    for kind, places in kinds.items():
        where = np.array(places, dtype=np.int64)
        which = where if rows is None else rows[where]
        _add_kind(builder, first, which, kind, [records[index] for index in places])


def _add_kind(
    builder: SheetBuilder, first: int, rows: Rows | None, names: tuple[str, ...], records: Sequence[Record]
) -> None:
    values = list(chain.from_iterable(map(_VALUES, records)))
    types = set(map(type, values))
    if dict in types:
        _add_alike(builder, first, rows, [dict(_flat(record)) for record in records])
        return
    numbers = _packed(values) if types <= {int, float} else None
    for index, name in enumerate(names):
        if numbers is not None:
            builder.add_numbers(name, first, rows, numbers[index :: len(names)].copy())
        else:
            _add_column(builder, first, rows, name, values[index :: len(names)])


def _packed(values: Sequence[object]) -> Floats:
    """Numbers as an array; by struct, because NumPy asks each for its type first."""
    try:
        return np.frombuffer(struct.pack(f"{len(values)}d", *values))
    except (OverflowError, struct.error):  # an integer beyond all floats
        return np.array([float(repr(value)) for value in values])


def _add_column(
    builder: SheetBuilder, first: int, rows: Rows | None, name: str, values: Sequence[object]
) -> None:
    """Add a column that holds more than numbers."""
    places: dict[type, list[int]] = {float: [], str: []}
    for index, value in enumerate(values):
        kind = float if type(value) is int else type(value)
        places.setdefault(kind, []).append(index)
    for kind, positions in places.items():
        where = np.array(positions, dtype=np.int64)
        which = where if rows is None else rows[where]
        if kind is float:
            builder.add_numbers(name, first, which, _packed([values[index] for index in positions]))
        elif kind is str:
            builder.add_texts(name, first, which, [str(values[index]) for index in positions])
        elif kind in _NO_NUMBERS:
            builder.skip(name, len(positions), _NO_NUMBERS[kind])


def _flat(record: Record, prefix: str = "", depth: int = 0) -> Iterator[tuple[str, object]]:
    for name, value in record.items():
        if isinstance(value, dict):
            if depth < _DEEPEST:
                yield from _flat(value, f"{prefix}{name}/", depth + 1)
        else:
            yield f"{prefix}{name}", value
