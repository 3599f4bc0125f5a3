import json
import math
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from traindx.errors import UnreadableError
from traindx.readers.trackio import READER
from traindx.readers.types import HEAD_BYTES, Column, Log, Source
from traindx.run import EventKind

SAMPLE = (Path(__file__).parents[1] / "data/trackio/trackio.db").read_bytes()
OLD = (
    "CREATE TABLE metrics (id INTEGER PRIMARY KEY, timestamp TEXT, run_name TEXT, step INTEGER, metrics TEXT)"
)


def read(data: bytes) -> list[Log]:
    return list(READER.read(Source("trackio.db", data[:HEAD_BYTES], data)))


def columns(log: Log) -> dict[str, Column]:
    return {column.name: column for column in log.columns}


def made(schema: str, *lines: tuple[object, ...]) -> bytes:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.execute(schema)
        for line in lines:
            connection.execute(f"INSERT INTO metrics VALUES ({', '.join('?' * len(line))})", line)
        return connection.serialize()


def test_a_database_that_trackio_wrote() -> None:
    logs = read(SAMPLE)
    assert [log.run for log in logs] == ["run-a", "run-b"]
    for log in logs:
        by_name = columns(log)
        assert set(by_name) == {"loss", "nest.a", "nest.b.c", "overflow", "val/loss"}
        np.testing.assert_array_equal(by_name["loss"].values, [1, 0.5, math.nan, math.inf, -math.inf])
        assert by_name["loss"].steps.tolist() == [0, 1, 2, 3, 4]
        assert by_name["nest.b.c"].values.tolist() == [0, 0.5, 1, 1.5, 2]
        assert by_name["overflow"].values.tolist() == [0, 0, 0, 1, 0]
        assert by_name["val/loss"].values.tolist() == [2, 1]
        assert by_name["val/loss"].steps.tolist() == [20, 10]  # as written
        assert by_name["val/loss"].rows.tolist() == [5, 6]


def test_its_settings_times_and_what_is_no_number() -> None:
    log = read(SAMPLE)[0]
    assert log.settings == {"lr": 0.1, "model.depth": 3}
    times = columns(log)["loss"].times
    assert times is not None
    assert np.all((times > 1.7e9) & (times < 1.9e9))
    assert {(u.name, u.count, u.why) for u in log.unread} == {
        ("note", 5, "text, not a number"),
        ("image", 1, "media, not a number"),
        ("list", 1, "a list, not a number"),
        ("alerts", 1, "not training metrics"),
    }
    assert log.events == ()


def test_recognized_by_its_tables() -> None:
    def sureness(data: bytes) -> float:
        return READER.recognizes(Source("x", data[:HEAD_BYTES], data))

    assert sureness(SAMPLE) == 1
    assert sureness(made(OLD)) == 1
    assert (
        sureness(made("CREATE TABLE metrics (key TEXT, value FLOAT, timestamp BIGINT, run_uuid TEXT)")) == 0
    )
    assert sureness(b"SQLite format 3\0 and then nothing") == 0


def test_a_closed_file_is_left_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "project.db"
    path.write_bytes(SAMPLE)
    assert len(list(READER.read(Source(str(path), SAMPLE[:HEAD_BYTES])))) == 2
    assert [p.name for p in tmp_path.iterdir()] == ["project.db"]
    assert path.read_bytes() == SAMPLE


def test_databases_without_run_ids() -> None:
    lines = [
        (1, "2025-06-01T10:00:00", "a", 0, '{"loss": 1.0}'),
        (2, "2025-06-01T10:00:01", "b", 0, '{"loss": NaN}'),
        (3, "2025-06-01T10:00:02+02:00", "a", 1, b'{"loss": 0.5}'),
    ]
    first, second = read(made(OLD, *lines))
    assert (first.run, columns(first)["loss"].values.tolist()) == ("a", [1, 0.5])
    times = columns(first)["loss"].times
    assert times is not None
    assert times.tolist() == [1748772000, 1748764802]
    assert second.run == "b"
    assert math.isnan(columns(second)["loss"].values[0])


def test_two_runs_of_one_name_are_told_apart() -> None:
    schema = "CREATE TABLE metrics (run_id TEXT, timestamp TEXT, run_name TEXT, step INTEGER, metrics TEXT)"
    lines = [(f"{n}2345678999", "2025-06-01", "same", 0, json.dumps({"loss": n})) for n in (1, 2)]
    logs = read(made(schema, *lines))
    assert [log.run for log in logs] == ["same 12345678", "same 22345678"]
    assert [columns(log)["loss"].values.tolist() for log in logs] == [[1], [2]]


def test_lines_that_make_no_sense_are_counted() -> None:
    lines = [
        (1, "never", "a", 0, '{"loss": 1.0}'),
        (2, "2025-06-01", "a", 1, "[1]"),
        (3, "2025-06-01", "a", 2, "{"),
        (4, "2025-06-01", "a", None, '{"loss": 2.0}'),
        (5, "2025-06-01", "a", 4, None),
    ]
    (log,) = read(made(OLD, *lines))
    loss = columns(log)["loss"]
    assert (loss.values.tolist(), loss.steps.tolist(), loss.times) == ([1], [0], None)
    assert {(u.name, u.count, u.why) for u in log.unread} == {
        ("lines", 3, "not a JSON object, not a number"),
        ("loss", 1, "in a row without a step, not a number"),
    }


def test_a_database_without_a_run_is_refused() -> None:
    with pytest.raises(UnreadableError, match="no run found"):
        read(made(OLD))


def test_a_database_whose_end_is_missing_gives_what_is_left() -> None:
    lines = [(n, "2025-06-01", "a", n, json.dumps({"loss": n})) for n in range(3000)]
    data = made(OLD, *lines)
    (log,) = read(data[: len(data) * 3 // 4])
    loss = columns(log)["loss"]
    assert loss.values.tolist() == list(range(len(loss.values)))
    assert 1000 < len(loss.values) < 3000
    assert [event.kind for event in log.events] == [EventKind.TORN]
