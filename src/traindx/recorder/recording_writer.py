"""Writing a recording: rows gather in memory and reach the file within a second or fifty steps."""

import json
import os
import sqlite3
import sys
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from traindx import __version__
from traindx.readers.binary.recording_file import APPLICATION_ID, FORMAT, SCHEMA, SUFFIX
from traindx.run import Event, EventKind, Scalar


@dataclass(frozen=True)
class LayerRecord:
    """One parameter of the model as it stands in the file."""

    name: str
    kind: str
    shape: tuple[int, ...]
    trainable: bool
    optimized: bool
    gradient: bool


class RecordingWriter:
    """The open file of one process."""

    def __init__(self) -> None:
        """Begin in memory: a process that never trains leaves no file."""
        self.path: Path | None = None
        self._database: sqlite3.Connection | None = None
        self._columns: dict[tuple[int, str, str, str], int] = {}
        self._layouts: dict[tuple[int, ...], int] = {}
        self._widths: dict[int, int] = {}
        self._rows: dict[int, array[float]] = {}
        self._statements: list[tuple[str, tuple[object, ...]]] = []

    def open(self, path: Path, meta: Mapping[str, object]) -> None:
        """Create the file; one that exists is never touched: the next free name is taken."""
        self.path = _free(path)
        # Training may run in another thread than the one that ends the program.
        database = sqlite3.connect(self.path, isolation_level=None, check_same_thread=False)
        # No syncs, from the first write on: only a machine that loses power may lose what was written.
        database.execute("PRAGMA synchronous=OFF")
        # Before WAL: in that mode the head of the file is written late.
        database.execute(f"PRAGMA application_id={APPLICATION_ID}")
        database.execute("PRAGMA journal_mode=WAL")
        database.executescript(SCHEMA)
        self._database = database
        self.describe({"format": FORMAT, **meta})
        self.flush()

    @property
    def is_open(self) -> bool:
        """Whether there is a file."""
        return self._database is not None

    def describe(self, meta: Mapping[str, object]) -> None:
        """Say something about the process."""
        for key, value in meta.items():
            self._later("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, json.dumps(value)))

    def begin(self, stream: int, name: str, shares: Sequence[int]) -> None:
        """Begin a stream."""
        self._later("INSERT INTO streams VALUES (?, ?, ?)", (stream, name, json.dumps(list(shares))))

    def column(self, stream: int, quantity: str, layer: str = "", part: str = "") -> int:
        """The number of a column, made on first use."""
        key = (stream, quantity, layer, part)
        number = self._columns.get(key)
        if number is None:
            number = self._columns[key] = len(self._columns) + 1
            self._later("INSERT INTO columns VALUES (?, ?, ?, ?, ?)", (number, *key))
        return number

    def layout(self, columns: tuple[int, ...]) -> int:
        """The number of a layout, made on first use."""
        number = self._layouts.get(columns)
        if number is None:
            number = self._layouts[columns] = len(self._layouts) + 1
            self._widths[number] = len(columns) + 1
            self._rows[number] = array("d")
            self._later("INSERT INTO layouts VALUES (?, ?)", (number, json.dumps(columns)))
        return number

    def rows_of(self, layout: int) -> "array[float]":
        """Where rows of a layout are appended: the step, then a value per column."""
        return self._rows[layout]

    def state(self, stream: int, slug: str, value: Scalar) -> None:
        """State a fact; the last statement counts."""
        self._later("INSERT OR REPLACE INTO facts VALUES (?, ?, ?)", (stream, slug, json.dumps(value)))

    def happened(self, stream: int, event: Event) -> None:
        """Record an event."""
        values = (event.step, event.kind.value, event.says, event.layer, event.operation, event.batch)
        self._later("INSERT INTO events VALUES (NULL, ?, ?, ?, ?, ?, ?, ?)", (stream, *values))

    def layers(self, stream: int, layers: Sequence[LayerRecord]) -> None:
        """Write the parameters of a stream's model, in the order given, in place of what stood there."""
        self._later("DELETE FROM layers WHERE stream = ?", (stream,))
        for position, layer in enumerate(layers):
            shape = json.dumps(layer.shape)
            flags = (layer.trainable, layer.optimized, layer.gradient)
            self._later(
                "INSERT OR REPLACE INTO layers VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (stream, position, layer.name, layer.kind, shape, *map(int, flags)),
            )

    def flush(self) -> None:
        """Bring everything that was written so far into the file, in one transaction."""
        if self._database is None:
            return
        execute = self._database.execute
        execute("BEGIN IMMEDIATE")
        for statement, values in self._statements:
            execute(statement, values)
        self._statements.clear()
        for layout, rows in self._rows.items():
            if rows:
                count = len(rows) // self._widths[layout]
                execute("INSERT INTO rows VALUES (NULL, ?, ?, ?)", (layout, count, rows.tobytes()))
                del rows[:]
        execute("COMMIT")

    def close(self) -> None:
        """Flush, and leave one file behind where the disk allows it."""
        if self._database is None:
            return
        self.flush()
        self._database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self._database.close()
        self._database = None

    def _later(self, statement: str, values: tuple[object, ...]) -> None:
        self._statements.append((statement, values))


def process_facts(began: float, rank: int = 0, ranks: int = 1) -> dict[str, object]:
    """What the head of a recording says of the process."""
    return {
        "traindx": __version__,
        "python": sys.version.split()[0],
        "script": sys.argv[0] if sys.argv else "",
        "arguments": sys.argv[1:],
        "command": ["python", *sys.orig_argv[1:]],
        "pid": os.getpid(),
        "rank": rank,
        "ranks": ranks,
        "began": began,
    }


_LONGEST = 60
"""Characters of a second line: what was refused, such as the first values of a tensor."""


def ending_by(error: BaseException, step: int | None) -> Event:
    """The event of a program that ends with an exception: its class and the first line of what it says.

    A line that ends in a colon goes on in the next one.
    """
    kind = EventKind.INTERRUPTED if isinstance(error, KeyboardInterrupt) else EventKind.EXCEPTION
    first, *others = str(error).strip().splitlines() or [""]
    says = f"{first} {others[0].strip()[:_LONGEST]}" if others and first.endswith(":") else first
    return Event(kind, ": ".join(part for part in (type(error).__name__, says) if part), step)


def _free(path: Path) -> Path:
    """The path itself, or the next one like it that does not exist; made at once, so that it stays ours."""
    path.parent.mkdir(parents=True, exist_ok=True)
    for number in range(1, 10_000):
        name = path.stem if number == 1 else f"{path.stem}.{number}"
        candidate = path.with_name(f"{name}{SUFFIX}")
        try:
            os.close(os.open(candidate, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o644))
        except FileExistsError:
            continue
        return candidate
    raise FileExistsError(f"{path}: no free name left")
