"""trackio databases: `<project>.db` in trackio's folder.

metrics: run_id, timestamp, run_name, step, metrics
    9dcc27b4...  2026-11-15T21:03:52.362803+00:00  run-a  1  {"loss": 0.5, "acc": 1, "nest": {"a": 1}}
    9dcc27b4...  2026-11-15T21:03:52.362803+00:00  run-a  2  {"loss": "NaN", "acc": 2}

Traps: the JSON is a blob (text in old databases); NaN and infinities are quoted words; a picture or a
histogram is a dict with a `_type`; databases written before version 0.24 have no `run_id`; two runs may
share a name; lines are written some at a time and share the timestamp of their batch.
"""

import sqlite3
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from traindx.errors import UnreadableError
from traindx.readers.binary.sqlite import distinct, readable, table_columns, table_columns_in, until_damage
from traindx.readers.tabular.json_values import (
    TrackedNumbers,
    columns_of,
    decoded,
    distinct_names,
    flattened,
    unread_of,
)
from traindx.readers.tabular.numbers import moment_in
from traindx.readers.types import Column, Log, Reader, Source
from traindx.run import Event, EventKind, Scalar, Skipped


@dataclass(frozen=True)
class _Run:
    """A run and the column by which its lines are found."""

    column: str
    identity: object
    name: str


def recognizes(source: Source) -> float:
    """1 where a SQLite database has trackio's table of metrics."""
    return 1.0 if table_columns_in(source, "metrics") >= {"run_name", "step", "metrics"} else 0.0


def read(source: Source) -> Iterator[Log]:
    """Yield one log per run."""
    with readable(source, "database", "restore it from a backup") as connection:
        runs = _runs(connection)
        if not runs:
            raise UnreadableError(source.path, "no run found", "wait until the run has logged something")
        for run in runs:
            yield _log(source, connection, run)


def _runs(connection: sqlite3.Connection) -> list[_Run]:
    """The runs in the order of their first lines."""
    column = "run_id" if "run_id" in table_columns(connection, "metrics") else "run_name"
    # A run that was renamed while it was written has lines under both names.
    lines = distinct(connection, f"{column}, run_name", "metrics")
    run_names = {identity: str(name) for identity, name in lines if identity is not None}
    names = distinct_names(list(run_names.values()), [str(identity) for identity in run_names])
    return [_Run(column, identity, name) for identity, name in zip(run_names, names, strict=True)]


def _log(source: Source, connection: sqlite3.Connection, run: _Run) -> Log:
    time = "timestamp" if "timestamp" in table_columns(connection, "metrics") else "NULL"
    query = f"SELECT step, {time}, metrics FROM metrics WHERE {run.column} IS ? ORDER BY rowid"  # noqa: S608
    damage: list[str] = []
    numbers = TrackedNumbers()
    columns = _columns(until_damage(connection, query, (run.identity,), damage), numbers)
    return Log(
        source=source.path,
        columns=columns,
        settings=_settings(connection, run),
        events=tuple(Event(EventKind.TORN, f"damaged database: {what}") for what in damage),
        unread=(*unread_of(numbers), *_counted(connection, run)),
        run=run.name,
    )


def _columns(lines: Iterable[tuple[object, ...]], numbers: TrackedNumbers) -> tuple[Column, ...]:
    steps, seconds = array("d"), array("d")
    for step, timestamp, text in lines:
        document = _document(text)
        if document is None:
            numbers.odd["lines", "not a JSON object"] += 1
            continue
        for name, value in document.items():
            numbers.add(name, len(steps), value)
        steps.append(step if isinstance(step, int | float) else float("nan"))
        seconds.append(_seconds(str(timestamp)))
    return tuple(columns_of(numbers, np.array(steps), np.array(seconds)))


def _document(text: object) -> dict[str, object] | None:
    try:
        document = decoded(text) if isinstance(text, bytes | str) else None
    except ValueError:
        return None
    return document if isinstance(document, dict) else None


@lru_cache(maxsize=8)
def _seconds(timestamp: str) -> float:
    """Seconds since the epoch, NaN where the text is no time; one without a zone is taken as UTC."""
    try:
        return moment_in(timestamp)
    except ValueError:
        return float("nan")


def _settings(connection: sqlite3.Connection, run: _Run) -> dict[str, Scalar]:
    """The configuration of a run, without what trackio adds itself under names such as `_Created`."""
    if not table_columns(connection, "configs") >= {run.column, "config"}:
        return {}
    query = f"SELECT config FROM configs WHERE {run.column} IS ? ORDER BY rowid"  # noqa: S608
    settings: dict[str, Scalar] = {}
    for (text,) in until_damage(connection, query, (run.identity,), []):
        document = _document(text) or {}
        settings.update(flattened({k: v for k, v in document.items() if not k.startswith("_")}))
    return settings


def _counted(connection: sqlite3.Connection, run: _Run) -> Iterator[Skipped]:
    """How much of a run stands in the tables that hold not training metrics."""
    for table in ("system_metrics", "alerts"):
        if run.column in table_columns(connection, table):
            query = f"SELECT count(*) FROM {table} WHERE {run.column} IS ?"  # noqa: S608
            for (count,) in until_damage(connection, query, (run.identity,), []):
                if isinstance(count, int) and count:
                    yield Skipped(table.replace("_", " "), count, "not training metrics")


READER = Reader(slug="trackio", title="trackio database", recognizes=recognizes, read=read)
