"""Records of names and values to a sheet: the lines of a JSON Lines file, or the items of a JSON list.

{"step": 10, "train": {"loss": 0.61}, "lr": "1e-4"}      nested names are joined by "/", text may be a number
{"step": 10, "val_loss": NaN, "per_class": [0.1, 0.2]}   records differ; null and lists are no values
"""

import struct
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from operator import methodcaller

import msgspec
import numpy as np

from traindx.errors import UnreadableError
from traindx.readers.names.vocabulary import axis_of
from traindx.readers.tabular.json_values import decoded, flattened
from traindx.readers.tabular.sheet import Sheet, SheetBuilder, whole_lines
from traindx.readers.tabular.sheet_logs import Origin
from traindx.readers.types import Source
from traindx.run import Event, EventKind, Floats, Rows, Scalar

Record = Mapping[str, object]

_ALL_NUMBERS = msgspec.json.Decoder(dict[str, float])
_ANYTHING = msgspec.json.Decoder(dict[str, object])
_DEEPEST = 8
_VALUES = methodcaller("values")
_NO_NUMBERS = {list: "a list in each record, not a number", bool: "true or false, not a number"}


def read_lines(source: Source, *, may_only_set: bool = False) -> tuple[Sheet, Origin]:
    """The records of a JSON Lines file, and as settings what those before the first row say.

    Raises `UnreadableError` where none holds a number, unless settings are enough.
    """
    builder = SheetBuilder()
    settings: dict[str, Scalar] = {}
    broken: list[int] = []
    number, torn = 1, False
    for block in whole_lines(source):
        records = _records_in(block, number, broken, builder)
        number += block.count(b"\n")
        torn = not block.endswith(b"\n") and number in broken
        if records and not builder.length:
            count = _records_before_rows(records)
            for record in records[:count]:
                settings.update(flattened(dict[object, object](record.items())))
            records = records[count:]
        add_records(builder, records)
    if torn:
        broken.remove(number)
    if broken:
        builder.skip("lines", len(broken), f"not JSON; the first is line {broken[0]}")
    sheet = builder.finish()
    if not sheet.cells and not (may_only_set and settings):
        raise UnreadableError(source.path, "no line holds a record with a number")
    says = f"line {number}, the last, is unfinished"
    return sheet, Origin(source.path, settings, (Event(EventKind.TORN, says),) if torn else ())


def _records_before_rows(records: Sequence[Record], *, most: int = 5) -> int:
    """How many records at the start are settings: they state no position where others do, and come once."""
    if len(records) == 1:
        return int(not any(_is_number(value) for value in records[0].values()))
    positions = {name for record in records for name in record if axis_of(name) is not None}
    kinds = Counter(map(frozenset, records))
    for count, record in enumerate(records[:most]):
        numbers = {name for name, value in record.items() if _is_number(value)}
        later = set().union(*records[count + 1 : count + 100])
        placed = not positions.isdisjoint(record) if positions else not numbers.isdisjoint(later)
        if placed or kinds[frozenset(record)] > 1:
            return count
    return min(most, len(records) - 1)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _records_in(block: bytes, number: int, broken: list[int], builder: SheetBuilder) -> list[Record]:
    """The records of some lines, read all at once where every line is one; notes the lines that are none."""
    for decoder in (_ALL_NUMBERS, _ANYTHING):
        try:
            return decoder.decode_lines(block)  # type: ignore[return-value]  # records, whatever their values
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            continue
    records: list[Record] = []
    for line_number, line in enumerate(block.split(b"\n"), start=number):
        text = line.strip().removesuffix(b",")
        if not text or text in (b"[", b"]"):
            continue
        try:
            value = decoded(text.decode("utf-8", "replace"))
        except ValueError:
            broken.append(line_number)
            continue
        if isinstance(value, dict):
            records.append(value)
        else:
            builder.skip("lines", 1, "JSON, but no record of names and values")
    return records


def first_records(head: bytes, *, most: int = 8) -> list[Record]:
    """The records among the first lines of a file, for telling what wrote them."""
    records: list[Record] = []
    for line in head.removeprefix(b"\xef\xbb\xbf").splitlines()[:most]:
        try:
            value = decoded(line.strip()) if line.lstrip().startswith(b"{") else None
        except ValueError:
            continue
        if isinstance(value, dict):
            records.append(value)
    return records


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
    for place, kind in enumerate(names):
        kinds.setdefault(kind, []).append(place)
    for kind, places in kinds.items():
        where = np.array(places, dtype=np.int64)
        which = where if rows is None else rows[where]
        _add_kind(builder, first, which, kind, [records[place] for place in places])


def _add_kind(
    builder: SheetBuilder, first: int, rows: Rows | None, names: tuple[str, ...], records: Sequence[Record]
) -> None:
    values = list(chain.from_iterable(map(_VALUES, records)))
    types = set(map(type, values))
    if dict in types:
        _add_alike(builder, first, rows, [dict(_flat(record)) for record in records])
        return
    numbers = _packed(values) if types <= {int, float} else None
    for place, name in enumerate(names):
        if numbers is not None:
            builder.add_numbers(name, first, rows, numbers[place :: len(names)].copy())
        else:
            _add_column(builder, first, rows, name, values[place :: len(names)])


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
    for place, value in enumerate(values):
        kind = float if type(value) is int else type(value)
        places.setdefault(kind, []).append(place)
    for kind, found in places.items():
        where = np.array(found, dtype=np.int64)
        which = where if rows is None else rows[where]
        if kind is float:
            builder.add_numbers(name, first, which, _packed([values[place] for place in found]))
        elif kind is str:
            builder.add_texts(name, first, which, [str(values[place]) for place in found])
        elif kind in _NO_NUMBERS:
            builder.skip(name, len(found), _NO_NUMBERS[kind])


def _flat(record: Record, prefix: str = "", depth: int = 0) -> Iterator[tuple[str, object]]:
    for name, value in record.items():
        if isinstance(value, dict):
            if depth < _DEEPEST:
                yield from _flat(value, f"{prefix}{name}/", depth + 1)
        else:
            yield f"{prefix}{name}", value
