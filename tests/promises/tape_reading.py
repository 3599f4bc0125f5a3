"""A recording read a second way: plain SQL and arrays, nothing of traindx."""

import json
import sqlite3
from array import array
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

Scalar = str | int | float | bool | None


@dataclass(frozen=True)
class Key:
    """What one column of a recording holds."""

    stream: int
    quantity: str
    layer: str = ""
    part: str = ""


@dataclass(frozen=True)
class Happening:
    """One row of the events."""

    stream: int
    step: int | None
    kind: str
    says: str
    layer: str


@dataclass(frozen=True)
class Taped:
    """Everything one file holds."""

    meta: Mapping[str, object]
    streams: Mapping[int, str]
    series: Mapping[Key, tuple[tuple[float, float], ...]]
    """Step and value, in the order of writing."""
    facts: Mapping[tuple[int, str], Scalar]
    layers: Mapping[int, tuple[str, ...]]
    events: tuple[Happening, ...]

    def of(self, quantity: str) -> dict[Key, tuple[tuple[float, float], ...]]:
        """The series of a quantity that are of no layer."""
        return {
            key: points for key, points in self.series.items() if key.quantity == quantity and not key.layer
        }

    def values(self, quantity: str, stream: int = 1, part: str = "") -> list[float]:
        """The values of one series; none where there is none."""
        return [value for _, value in self.series.get(Key(stream, quantity, "", part), ())]

    def stated(self, slug: str) -> list[Scalar]:
        """What was stated of a fact, over all streams."""
        return [value for (_, known), value in self.facts.items() if known == slug]

    def kinds(self) -> set[str]:
        """What kinds of events happened."""
        return {event.kind for event in self.events}


def read_tape(path: Path) -> Taped:
    """Read a file, also while another process writes it."""
    with closing(sqlite3.connect(path, timeout=5)) as database:
        database.execute("BEGIN")  # one snapshot: what is written meanwhile is not mixed in
        rows = database.execute
        columns = {
            number: Key(*rest)
            for number, *rest in rows("SELECT id, stream, quantity, layer, part FROM columns")
        }
        layouts = {
            number: [columns[column] for column in json.loads(listed)]
            for number, listed in rows("SELECT id, columns FROM layouts")
        }
        series: dict[Key, list[tuple[float, float]]] = {}
        for layout, count, data in rows("SELECT layout, count, data FROM rows ORDER BY id"):
            numbers = array("d", data)
            keys = layouts[layout]
            width = len(keys) + 1
            assert len(numbers) == count * width, f"{path}: a row of layout {layout} is torn"
            for first in range(0, len(numbers), width):
                step, *values = numbers[first : first + width]
                for key, value in zip(keys, values, strict=True):
                    series.setdefault(key, []).append((step, value))
        layers: dict[int, tuple[str, ...]] = {}
        for stream, name in rows("SELECT stream, name FROM layers ORDER BY stream, position"):
            layers[stream] = (*layers.get(stream, ()), name)
        facts = {(stream, slug): json.loads(value) for stream, slug, value in rows("SELECT * FROM facts")}
        return Taped(
            meta={key: json.loads(value) for key, value in rows("SELECT * FROM meta")},
            streams=dict(rows("SELECT id, name FROM streams").fetchall()),
            series={key: tuple(points) for key, points in series.items()},
            facts=facts,
            layers=layers,
            events=tuple(
                Happening(*row)
                for row in rows("SELECT stream, step, kind, says, layer FROM events ORDER BY id")
            ),
        )
