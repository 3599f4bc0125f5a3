"""Tables in files: CSV and TSV by our own reader of delimited text, Parquet by whichever library is there."""

from collections.abc import Iterable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol

import numpy as np

from traindx.errors import TraindxError, UnreadableError
from traindx.exams.data_exam.data import Array, Raw, rows_of, sampled, target_among
from traindx.format import listed, printable
from traindx.readers.tabular.delimited_shape import shape_in
from traindx.readers.tabular.lines import read_table
from traindx.readers.tabular.sheet import Sheet, Words
from traindx.readers.types import HEAD_BYTES, Source

_STRAY = 0.05
"""Share of words up to which a column is one of numbers with marks for what is missing, such as "?"."""


def read_delimited(path: Path, target: str | None, most: int) -> Raw:
    """A table of text; a blank cell is a missing value."""
    with Source(str(path), b"").open() as stream:
        head = stream.read(HEAD_BYTES)
    source = Source(str(path), head)
    shape = shape_in(source)
    if shape is None:
        raise UnreadableError(str(path), "not a table", "use a CSV or TSV with a numeric column")
    sheet, _ = read_table(source)
    if not sheet.length:
        raise UnreadableError(str(path), "has a header but no rows", "pass data to examine")
    columns, dropped = _columns(sheet, shape.names)
    if not shape.headed:
        columns = {name.replace("step", "column 1"): values for name, values in columns.items()}
    notes = [f"ignored columns: {listed(dropped)}"] if dropped else []
    notes += [f"{skipped.count:,} {skipped.name}: {skipped.why}" for skipped in sheet.unread]
    return from_columns(str(path), columns, target, most, notes)


def _columns(sheet: Sheet, names: tuple[str, ...]) -> tuple[dict[str, Array], list[str]]:
    """Every column as numbers or as words, and the ones that are neither."""
    columns: dict[str, Array] = {}
    dropped: list[str] = []
    for name in names:
        numbers, words = sheet.cells.get(name), sheet.words.get(name)
        if name == sheet.time:
            dropped.append(f"{printable(name, 40)} (dates)")
        elif words is not None and not words.texts:
            dropped.append(f"{printable(name, 40)} (free text)")
        elif words is not None and words.count > _STRAY * sheet.length:
            columns[name] = _texts(words, sheet.length)
        elif numbers is None:
            dropped.append(f"{printable(name, 40)} (empty)")
        else:
            column = np.full(sheet.length, np.nan)
            column[numbers.rows] = numbers.values
            columns[name] = column
    return columns, dropped


def _texts(words: Words, length: int) -> Array:
    codes = np.zeros(length, dtype=np.int64)
    codes[words.rows] = words.codes + 1
    return np.array(["", *words.texts])[codes]


def read_parquet(path: Path, target: str | None, most: int) -> Raw:
    """A Parquet file."""
    read = _by_pyarrow if find_spec("pyarrow") else _by_polars if find_spec("polars") else None
    if read is None:
        raise TraindxError(f"{path}: reading Parquet needs pyarrow or polars; pip install pyarrow")
    try:
        columns = read(path)
    except Exception as error:  # each library has errors of its own
        what = f"not a readable Parquet file ({error})"
        raise UnreadableError(str(path), what, "write it again") from error
    return from_columns(str(path), columns, target, most)


def _by_pyarrow(path: Path) -> dict[str, Array]:
    from pyarrow import parquet

    table = parquet.read_table(path)
    return {
        name: _numbers_or_texts(table[name].to_numpy(zero_copy_only=False)) for name in table.column_names
    }


def _by_polars(path: Path) -> dict[str, Array]:
    import polars

    frame = polars.read_parquet(path)
    return {name: _numbers_or_texts(frame[name].to_numpy()) for name in frame.columns}


class Frame(Protocol):
    """A DataFrame of pandas or polars."""

    columns: Iterable[object]

    def __getitem__(self, name: object, /) -> "Column":
        """A column."""


class Column(Protocol):
    """A column of a DataFrame."""

    def to_numpy(self) -> Array:
        """Its values."""


def from_frame(frame: Frame, where: str, target: str | None, most: int) -> Raw:
    """A DataFrame in memory."""
    columns = {str(name): _numbers_or_texts(np.asarray(frame[name].to_numpy())) for name in frame.columns}
    return from_columns(where, columns, target, most)


def _numbers_or_texts(values: Array) -> Array:
    """Numbers as they are, anything else as words; what is not there is an empty text."""
    if values.dtype.kind in "biuf":
        return values
    objects = values.tolist()
    return np.array(["" if value is None or value != value else str(value) for value in objects])


def from_columns(
    where: str, columns: Mapping[str, Array], target: str | None, most: int, notes: Sequence[str] = ()
) -> Raw:
    """The columns of a table as inputs and a target, the target guessed with a note unless it is named."""
    chosen, guess = target_among(where, tuple(columns), target)
    counting = [name for name, values in columns.items() if name != chosen and _counts_rows(values)]
    said = [*notes, *guess]
    if counting:
        said.append(f"ignored columns: {listed([printable(name, 40) for name in counting])} (row numbers)")
    kept = {name: values for name, values in columns.items() if name != chosen and name not in counting}
    numbers = {name: values for name, values in kept.items() if values.dtype.kind in "biuf"}
    if not kept:
        only = f"the target {printable(chosen)}" if chosen else "row numbers"
        raise UnreadableError(where, f"has only {only}", "use a table with features")
    length = len(next(iter(columns.values())))
    rows = rows_of(length, 8 * len(kept), most)
    if len(rows) < length:
        said.append(sampled(len(rows), length))
    features = [values[rows].astype(np.float64) for values in numbers.values()]
    return Raw(
        inputs=np.stack(features, axis=1) if features else np.zeros((len(rows), 0)),
        targets=columns[chosen][rows] if chosen else None,
        rows=rows,
        total=length,
        names=tuple(numbers),
        texts={name: values[rows] for name, values in kept.items() if name not in numbers},
        numbering={name: columns[name][rows].astype(np.float64) for name in counting},
        target_name=chosen,
        blanks=True,
        notes=tuple(said),
    )


def _counts_rows(values: Array) -> bool:
    """Whether a column is the number of its row: it rises by one each time."""
    if len(values) < 3 or values.dtype.kind not in "iuf":
        return False
    steps = np.diff(values.astype(np.float64))
    return bool(np.all(steps == 1))
