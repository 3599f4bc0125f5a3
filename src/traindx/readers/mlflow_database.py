"""MLflow databases: `mlflow.db`, the tracking store in SQLite.

metrics: key, value, timestamp, run_uuid, step, is_nan
    loss     0.25                     1794776629280  da30f242...  3  0
    loss     0.0                      1794776629295  da30f242...  5  1      NaN
    loss     1.7976931348623157e+308  1794776629302  da30f242...  6  0      infinity

Traps: NaN is stored as 0 with `is_nan`, an infinity as the largest float; a table has no order, only the
timestamps tell what was written when; deleted runs stay in the database; a metric logged without a step has
step 0 each time; the steps of system metrics count samples; very old databases lack `step` and `is_nan`.
"""

import sqlite3
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from traindx.errors import UnreadableError
from traindx.readers.binary.sqlite import distinct, readable, table_columns, table_columns_in, until_damage
from traindx.readers.tabular.json_values import distinct_names, number_or_text
from traindx.readers.types import Column, Log, Reader, Source
from traindx.run import Axis, Event, EventKind, Scalar, Skipped

_LARGEST = 1.7976931348623157e308
_NAME_TAG = "mlflow.runName"
_ENDINGS: dict[object, Event] = {
    "FAILED": Event(EventKind.EXCEPTION, "MLflow recorded that the run failed"),
    "KILLED": Event(EventKind.INTERRUPTED, "MLflow recorded that the run was killed"),
}


@dataclass(frozen=True)
class _Run:
    """A line of the table of runs."""

    identity: object
    name: str
    status: object = None
    deleted: bool = False


def recognizes(source: Source) -> float:
    """1 where a SQLite database has MLflow's table of metrics."""
    return 1.0 if table_columns_in(source, "metrics") >= {"key", "value", "timestamp", "run_uuid"} else 0.0


def read(source: Source) -> Iterator[Log]:
    """Yield one log for each run that has metrics and is not deleted."""
    with readable(source, "database", "restore it from a backup") as connection:
        yield from _logs(source, connection)


def _logs(source: Source, connection: sqlite3.Connection) -> Iterator[Log]:
    measured = {identity for (identity,) in distinct(connection, "run_uuid", "metrics") if identity}
    runs = _runs(connection) or [_Run(identity, str(identity)) for identity in measured]
    live = [run for run in runs if not run.deleted]
    wanted = _distinctly_named([run for run in live if run.identity in measured])
    deleted, empty = len(runs) - len(live), len(live) - len(wanted)
    if not wanted:
        what = f"{len(runs)} runs ({deleted} deleted), none with metrics"
        raise UnreadableError(source.path, what, "wait until the run has logged something")
    left_out = (Skipped("runs", deleted, "deleted"), Skipped("runs", empty, "without metrics"))
    for number, run in enumerate(wanted):
        log = _log(source, connection, run)
        yield log if number else replace(log, unread=(*log.unread, *(u for u in left_out if u.count)))


def _runs(connection: sqlite3.Connection) -> list[_Run]:
    known = table_columns(connection, "runs")
    if "run_uuid" not in known:
        return []
    chosen = ", ".join(c if c in known else "NULL" for c in ("run_uuid", "name", "status", "lifecycle_stage"))
    lines = until_damage(connection, f"SELECT {chosen} FROM runs ORDER BY rowid", (), [])  # noqa: S608  known names
    return [
        _Run(identity, str(name or _name(connection, identity)), status, stage == "deleted")
        for identity, name, status, stage in lines
    ]


def _name(connection: sqlite3.Connection, identity: object) -> object:
    """The name of a run from its tags, where it only stood before MLflow 1.30."""
    return _tags(connection, identity).get(_NAME_TAG, identity)


def _tags(connection: sqlite3.Connection, identity: object) -> dict[str, str]:
    return _texts(connection, "SELECT key, value FROM tags WHERE run_uuid IS ?", identity)


def _texts(connection: sqlite3.Connection, query: str, identity: object) -> dict[str, str]:
    # The oldest databases lack a table: like a damaged one it gives what it has.
    return {str(key): str(value) for key, value in until_damage(connection, query, (identity,), [])}


def _distinctly_named(runs: Sequence[_Run]) -> list[_Run]:
    names = distinct_names([run.name for run in runs], [str(run.identity) for run in runs])
    return [replace(run, name=name) for run, name in zip(runs, names, strict=True)]


def _log(source: Source, connection: sqlite3.Connection, run: _Run) -> Log:
    known = table_columns(connection, "metrics")
    step, is_nan = (column if column in known else "0" for column in ("step", "is_nan"))
    query = f"SELECT key, value, timestamp, {step}, {is_nan} FROM metrics WHERE run_uuid IS ? ORDER BY rowid"  # noqa: S608
    damage: list[str] = []
    unread: Counter[str] = Counter()
    columns = _columns(until_damage(connection, query, (run.identity,), damage), unread)
    ending = [_ENDINGS[run.status]] if run.status in _ENDINGS else []
    return Log(
        source=source.path,
        columns=columns,
        settings=_settings(connection, run.identity),
        events=(*ending, *(Event(EventKind.TORN, f"damaged database: {what}") for what in damage)),
        unread=tuple(Skipped(name, count, "not a number") for name, count in unread.items()),
        run=run.name,
    )


def _columns(lines: Iterable[tuple[object, ...]], unread: Counter[str]) -> tuple[Column, ...]:
    """One column per key, its points in the order they were written."""
    numbers: dict[str, int] = {}
    key_number, value_of, step_of, time_of = array("q"), array("d"), array("d"), array("d")
    for key, value, timestamp, step, is_nan in lines:
        if not (isinstance(value, int | float) and isinstance(timestamp, int) and isinstance(step, int)):
            unread[str(key)] += 1
            continue
        key_number.append(numbers.setdefault(str(key), len(numbers)))
        value_of.append(float("nan") if is_nan else value)
        step_of.append(step)
        time_of.append(timestamp)
    order = np.lexsort((step_of, time_of))
    keys, values, steps, times = (np.array(part)[order] for part in (key_number, value_of, step_of, time_of))
    values = np.where(np.abs(values) == _LARGEST, np.copysign(np.inf, values), values)
    # Points of the same time and step were written together.
    rows = np.cumsum((np.diff(times, prepend=np.nan) != 0) | (np.diff(steps, prepend=np.nan) != 0)) - 1
    by_key = np.argsort(keys, kind="stable")
    groups = np.split(by_key, np.cumsum(np.bincount(keys, minlength=1))[:-1])
    return tuple(
        Column(name, values[own], steps[own], rows[own], _axis_of(name), times[own] / 1000)
        for name, own in zip(numbers, groups, strict=False)
    )


def _axis_of(name: str) -> Axis:
    """MLflow samples the machine by a clock of its own."""
    return Axis.RECORD if name.startswith("system/") else Axis.STEP


def _settings(connection: sqlite3.Connection, identity: object) -> dict[str, Scalar]:
    """The parameters of a run, its name, and the tags that its author set."""
    tags = _tags(connection, identity).items()
    own = {key: value for key, value in tags if key == _NAME_TAG or not key.startswith("mlflow.")}
    params = _texts(connection, "SELECT key, value FROM params WHERE run_uuid IS ?", identity)
    return {key: number_or_text(value) for key, value in {**own, **params}.items()}


READER = Reader(slug="mlflow_database", title="MLflow database", recognizes=recognizes, read=read)
