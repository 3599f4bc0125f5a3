"""The file of a recording: one SQLite database per process that trains, and what stands in its tables.

Numbers stand in `rows`: a blob of 64-bit floats in the machine's byte order, `count` times the step and one
value per column of the layout. A layout is the tuple of columns that are written together, so that a plain
step costs its numbers and nothing else.

A recording may be read while it is written, and when its writer was killed or a part of it is damaged.
"""

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from traindx.quantities import FORMER_SLUGS
from traindx.readers.binary.sqlite import table_columns, until_damage
from traindx.readers.types import last_of_each_step
from traindx.run import Floats, Parameter, Rows, Scalar

APPLICATION_ID = 0x54445831
"""Written into the header of the database: "TDX1"."""
FORMAT = "traindx.recording/1"
SUFFIX = ".traindx"

SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE streams (id INTEGER PRIMARY KEY, name TEXT NOT NULL, shares TEXT NOT NULL);
CREATE TABLE columns (
    id INTEGER PRIMARY KEY, stream INTEGER NOT NULL,
    quantity TEXT NOT NULL, layer TEXT NOT NULL, part TEXT NOT NULL
);
CREATE TABLE layouts (id INTEGER PRIMARY KEY, columns TEXT NOT NULL);
CREATE TABLE rows (
    id INTEGER PRIMARY KEY, layout INTEGER NOT NULL, count INTEGER NOT NULL, data BLOB NOT NULL
);
CREATE TABLE facts (
    stream INTEGER NOT NULL, slug TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (stream, slug)
);
CREATE TABLE layers (
    stream INTEGER NOT NULL, position INTEGER NOT NULL,
    name TEXT NOT NULL, kind TEXT NOT NULL, shape TEXT NOT NULL,
    trainable INTEGER NOT NULL, optimized INTEGER NOT NULL, gradient INTEGER NOT NULL,
    PRIMARY KEY (stream, name)
);
CREATE TABLE events (
    id INTEGER PRIMARY KEY, stream INTEGER NOT NULL, step INTEGER, kind TEXT NOT NULL, says TEXT NOT NULL,
    layer TEXT NOT NULL, operation TEXT NOT NULL, batch INTEGER
);
"""
"""meta: JSON values: format, traindx, python, torch, script, arguments, pid, rank, ranks, began (seconds
since 1970), experiment (what is different) in arms of trials, rehearsals and learning-rate searches, and
exit_code once the process has ended.
streams: what one optimizer trains (or several that step together); `shares` is a JSON list of the ids of
earlier streams that hold some of the same parameters. Stream 0 is the process as a whole: its facts and
events hold for all. A stream without columns never stepped.
columns, facts: slugs of `quantities` and `facts`; fact values are JSON. WALL_TIME is seconds since began.
layouts: a JSON list of column ids.
layers: the parameters of the model in the order of its definition; `kind` is the class of the module that
owns the parameter, `gradient` 0 while none other than zero was seen, `trainable` is requires_grad."""

_FLOAT_BYTES = 8
_FURTHEST_STEP = 2.0**53
_AT_ONCE = 100


@dataclass(frozen=True)
class Stream:
    """What one optimizer trains."""

    id: int
    name: str
    shares: frozenset[int]
    """Earlier streams that hold some of the same parameters."""


@dataclass(frozen=True, eq=False)
class Track:
    """All numbers of one column, by step."""

    stream: int
    quantity: str
    layer: str
    part: str
    steps: Floats
    values: Floats


@dataclass(frozen=True)
class Happening:
    """An event as it was written."""

    stream: int
    step: float | None
    kind: str
    says: str
    layer: str
    operation: str
    batch: int | None


@dataclass(frozen=True, eq=False)
class Recording:
    """All that could be read."""

    meta: Mapping[str, object]
    streams: tuple[Stream, ...]
    tracks: Mapping[int, tuple[Track, ...]]
    """By stream; none of a stream that never stepped."""
    facts: Mapping[int, Mapping[str, Scalar]]
    """By stream and slug."""
    layers: Mapping[int, tuple[Parameter, ...]]
    happenings: tuple[Happening, ...]
    damage: tuple[str, ...] = ()
    lost: Mapping[str, int] = field(default_factory=dict)
    """How many numbers could not be placed, by what they lack."""


def recording_in(connection: sqlite3.Connection) -> Recording:
    """Read all tables as they stand at one moment."""
    # One transaction, or the writer might add a layout between two of the queries.
    connection.execute("BEGIN")
    tables = Tables(connection)
    lost: Counter[str] = Counter()
    tracks: dict[int, list[Track]] = {}
    for track in _tracks(tables, lost):
        tracks.setdefault(track.stream, []).append(track)
    return Recording(
        meta=meta_in(tables),
        streams=_streams(tables, tracks),
        tracks={stream: tuple(columns) for stream, columns in tracks.items()},
        facts=_facts(tables),
        layers=_layers(tables),
        happenings=tuple(_happenings(tables)),
        damage=tuple(dict.fromkeys(tables.damage)),
        lost=lost,
    )


class Tables:
    """The tables of one database, and what is damaged in them."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.damage: list[str] = []
        self._connection = connection

    def lines(self, table: str, columns: str, order: str = "rowid") -> Iterator[tuple[object, ...]]:
        """The lines of a table in order, those before the damage in a damaged one."""
        try:
            known = table_columns(self._connection, table)
        except sqlite3.DatabaseError as error:
            self.damage.append(str(error))
            return
        if known >= {name.strip() for name in columns.split(",")}:
            query = f"SELECT {columns} FROM {table} ORDER BY {order}"  # noqa: S608
            yield from until_damage(self._connection, query, (), self.damage)


def meta_in(tables: Tables) -> dict[str, object]:
    """What a recording says of its process."""
    return {str(key): _decoded(value) for key, value in tables.lines("meta", "key, value")}


def _streams(tables: Tables, stepped: Iterable[int]) -> tuple[Stream, ...]:
    """The streams that are described, and those that only have numbers."""
    streams = {
        number: Stream(number, name, frozenset(_whole_numbers(shares)))
        for number, name, shares in tables.lines("streams", "id, name, shares")
        if isinstance(number, int) and isinstance(name, str)
    }
    for number in stepped:
        streams.setdefault(number, Stream(number, f"stream {number}", frozenset()))
    return tuple(streams[number] for number in sorted(streams) if number)


def _facts(tables: Tables) -> dict[int, dict[str, Scalar]]:
    facts: dict[int, dict[str, Scalar]] = {}
    for stream, slug, text in tables.lines("facts", "stream, slug, value"):
        value = _decoded(text)
        if isinstance(stream, int) and isinstance(slug, str) and isinstance(value, Scalar):
            facts.setdefault(stream, {})[FORMER_SLUGS.get(slug, slug)] = value
    return facts


def _layers(tables: Tables) -> dict[int, tuple[Parameter, ...]]:
    layers: dict[int, list[Parameter]] = {}
    columns = "stream, name, kind, shape, trainable, optimized, gradient"
    for stream, name, kind, shape, *flags in tables.lines("layers", columns, "stream, position"):
        if isinstance(stream, int) and isinstance(name, str):
            sizes, is_set = tuple(_whole_numbers(shape)), [flag == 1 for flag in flags]
            parameter = Parameter(name, str(kind), sizes, is_set[0], is_set[1], is_set[2])
            layers.setdefault(stream, []).append(parameter)
    return {stream: tuple(parameters) for stream, parameters in layers.items()}


def _happenings(tables: Tables) -> Iterator[Happening]:
    columns = "stream, step, kind, says, layer, operation, batch"
    for stream, step, kind, says, layer, operation, batch in tables.lines("events", columns):
        if isinstance(stream, int):
            yield Happening(
                stream,
                float(step) if isinstance(step, int | float) else None,
                str(kind),
                str(says),
                str(layer),
                str(operation),
                batch if isinstance(batch, int) else None,
            )


def _tracks(tables: Tables, lost: Counter[str]) -> Iterator[Track]:
    """The columns that hold numbers, in the order in which they were made."""
    columns = {number: rest for number, *rest in tables.lines("columns", "id, stream, quantity, layer, part")}
    layouts = {
        number: list(_whole_numbers(text))
        for number, text in tables.lines("layouts", "id, columns")
        if isinstance(number, int)
    }
    blocks = _blocks(tables, layouts, lost)
    places: dict[int, list[tuple[int, int]]] = {}
    for layout in blocks:
        for index, column in enumerate(layouts[layout], start=1):
            places.setdefault(column, []).append((layout, index))
    merged = _Merging(blocks)
    for column in sorted(places):
        stream, quantity, layer, part = columns.get(column, [None] * 4)
        steps, values = merged.column(places[column])
        if isinstance(stream, int) and isinstance(quantity, str):
            yield Track(stream, FORMER_SLUGS.get(quantity, quantity), str(layer), str(part), steps, values)
        else:
            lost["no description of their column"] += len(values)


def _blocks(tables: Tables, layouts: Mapping[int, Sequence[int]], lost: Counter[str]) -> dict[int, Floats]:
    """The numbers of each layout: a line for the steps and one for each of its columns."""
    pieces: dict[int, list[bytes]] = {}
    for layout, data in tables.lines("rows", "layout, data", "id"):
        if not isinstance(layout, int) or not isinstance(data, bytes):
            continue
        row_bytes = _FLOAT_BYTES * (1 + len(layouts.get(layout, ())))
        if layout not in layouts or len(data) % row_bytes:
            lost["no matching layout"] += len(data) // _FLOAT_BYTES
            continue
        pieces.setdefault(layout, []).append(data)
    blocks: dict[int, Floats] = {}
    for layout in sorted(pieces):
        block = _turned(pieces.pop(layout), 1 + len(layouts[layout]))
        placed = np.abs(block[0]) <= _FURTHEST_STEP  # False for NaN too
        if not placed.all():
            lost["their step is not a number"] += int(np.count_nonzero(~placed)) * (len(block) - 1)
            block = np.ascontiguousarray(block[:, placed])
        if block.shape[1]:
            blocks[layout] = block
    return blocks


def _turned(pieces: Sequence[bytes], width: int) -> Floats:
    """Rows as one line per column; some pieces at a time, for memory that was just read is read fast."""
    block = np.empty((width, sum(map(len, pieces)) // (_FLOAT_BYTES * width)))
    filled = 0
    for start in range(0, len(pieces), _AT_ONCE):
        rows = np.frombuffer(b"".join(pieces[start : start + _AT_ONCE])).reshape(-1, width)
        block[:, filled : filled + len(rows)] = rows.T
        filled += len(rows)
    return block


class _Merging:
    """Puts together what layouts hold of one column; columns of the same layouts share their steps."""

    def __init__(self, blocks: Mapping[int, Floats]) -> None:
        self._blocks = blocks
        self._known: dict[tuple[int, ...], tuple[Floats, Rows | slice]] = {}

    def column(self, places: Sequence[tuple[int, int]]) -> tuple[Floats, Floats]:
        """Steps, strictly increasing, and values; the last written where a step stands twice."""
        layouts = tuple(layout for layout, _ in places)
        if layouts not in self._known:
            steps = _chained([self._blocks[layout][0] for layout in layouts])
            self._known[layouts] = steps[last_of_each_step(steps)], last_of_each_step(steps)
        steps, keep = self._known[layouts]
        return steps, _chained([self._blocks[layout][index] for layout, index in places])[keep]


def _chained(parts: Sequence[Floats]) -> Floats:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _decoded(text: object) -> object:
    try:
        return json.loads(text) if isinstance(text, str) else None
    except (ValueError, RecursionError):
        return None


def _whole_numbers(text: object) -> Iterator[int]:
    values = _decoded(text)
    yield from (number for number in (values if isinstance(values, list) else []) if isinstance(number, int))
