import math
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from traindx.errors import UnreadableError
from traindx.readers.mlflow_database import READER
from traindx.readers.types import HEAD_BYTES, Column, Log, Source
from traindx.run import Axis, EventKind

SAMPLE = (Path(__file__).parents[1] / "data/mlflow/mlflow.db").read_bytes()


def read(data: bytes) -> list[Log]:
    return list(READER.read(Source("mlflow.db", data[:HEAD_BYTES], data)))


def columns(log: Log) -> dict[str, Column]:
    return {column.name: column for column in log.columns}


def made(*statements: str) -> bytes:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)
        return connection.serialize()


METRICS = (
    "CREATE TABLE metrics (key TEXT, value FLOAT, timestamp BIGINT, run_uuid TEXT, step BIGINT, is_nan INT)"
)
RUNS = "CREATE TABLE runs (run_uuid TEXT, name TEXT, status TEXT, lifecycle_stage TEXT)"


def test_a_database_that_mlflow_wrote() -> None:
    logs = read(SAMPLE)
    first, broken, second = logs
    loss = columns(first)["loss"]
    np.testing.assert_array_equal(loss.values, [1, 0.5, 1 / 3, 0.25, math.nan, math.inf, -math.inf, 0.75])
    assert loss.steps.tolist() == [0, 1, 2, 3, 4, 5, 6, 2]  # as written: the last point goes back
    assert loss.axis is Axis.STEP
    accuracy = columns(first)["val/acc"]
    assert accuracy.values.tolist() == [0, 0.1, 0.2, 0.3]
    assert accuracy.rows.tolist() == loss.rows[:4].tolist() == [0, 1, 2, 3]  # logged together
    assert columns(broken)["loss"].values.tolist() == [3]
    assert columns(second)["loss"].values.tolist() == [9]


def test_times_are_seconds_of_the_epoch() -> None:
    times = columns(read(SAMPLE)[0])["loss"].times
    assert times is not None
    assert np.all((times > 1.7e9) & (times < 1.9e9) & (np.diff(times, prepend=0) >= 0))


def test_runs_that_share_a_name_are_told_apart() -> None:
    names = [log.run for log in read(SAMPLE)]
    assert names[1] == "broken"
    assert names[0] != names[2]
    assert all(name.startswith("good ") and len(name) == 13 for name in (names[0], names[2]))


def test_parameters_and_tags_are_settings() -> None:
    first, broken, _ = read(SAMPLE)
    assert first.settings == {
        "lr": 0.1,
        "optimizer": "adam",
        "layers": 3,
        "amp": True,
        "purpose": "fixture",
        "mlflow.runName": "good",
    }
    assert broken.settings == {"mlflow.runName": "broken"}


def test_a_failed_run_says_so() -> None:
    first, broken, _ = read(SAMPLE)
    assert first.events == ()
    assert [(e.kind, e.says) for e in broken.events] == [
        (EventKind.EXCEPTION, "MLflow recorded that the run failed")
    ]


def test_runs_left_out_are_counted_once() -> None:
    first, broken, second = read(SAMPLE)
    assert [(u.name, u.count, u.why) for u in first.unread] == [
        ("runs", 1, "deleted"),
        ("runs", 1, "without metrics"),
    ]
    assert (broken.unread, second.unread) == ((), ())


def test_recognized_by_its_tables() -> None:
    def sureness(data: bytes) -> float:
        return READER.recognizes(Source("x", data[:HEAD_BYTES], data))

    assert sureness(SAMPLE) == 1
    assert sureness(made("CREATE TABLE metrics (run_name TEXT, step INTEGER, metrics TEXT)")) == 0
    assert sureness(made("CREATE TABLE photos (name TEXT)")) == 0
    assert sureness(b"SQLite format 3\0") == 0


def test_recognized_and_read_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "some.data"
    path.write_bytes(SAMPLE)
    source = Source(str(path), SAMPLE[:100])  # the tables are not named in the head
    assert READER.recognizes(source) == 1
    assert len(list(READER.read(source))) == 3
    assert [p.name for p in tmp_path.iterdir()] == ["some.data"]


def test_points_come_in_the_order_they_were_written() -> None:
    points = [(2, 30, 0.3), (0, 10, 0.1), (1, 20, 0.2), (1, 40, 0.9), (3, 40, 0.8)]
    rows = [f"INSERT INTO metrics VALUES ('loss', {v}, {t}000, 'a', {s}, 0)" for s, t, v in points]
    (log,) = read(made(METRICS, RUNS, "INSERT INTO runs VALUES ('a', 'x', 'KILLED', 'active')", *rows))
    loss = columns(log)["loss"]
    assert loss.values.tolist() == [0.1, 0.2, 0.3, 0.9, 0.8]
    assert loss.steps.tolist() == [0, 1, 2, 1, 3]
    assert loss.times is not None
    assert loss.times.tolist() == [10, 20, 30, 40, 40]
    assert [event.kind for event in log.events] == [EventKind.INTERRUPTED]


def test_system_metrics_count_samples() -> None:
    rows = (f"INSERT INTO metrics VALUES ('system/cpu', {n}, {n}, 'a', {n}, 0)" for n in range(3))
    (log,) = read(made(METRICS, *rows))
    assert columns(log)["system/cpu"].axis is Axis.RECORD


def test_the_oldest_databases() -> None:
    old = "CREATE TABLE metrics (key TEXT, value FLOAT, timestamp BIGINT, run_uuid TEXT)"
    (log,) = read(made(old, "INSERT INTO metrics VALUES ('loss', 0.5, 1500000000000, 'abc')"))
    assert (log.run, columns(log)["loss"].values.tolist()) == ("abc", [0.5])
    assert columns(log)["loss"].steps.tolist() == [0]


def test_values_that_are_no_numbers_are_counted() -> None:
    rows = (
        "INSERT INTO metrics VALUES ('loss', 'high', 1, 'a', 0, 0)",
        "INSERT INTO metrics VALUES ('loss', 1, 2, 'a', 1, 0)",
    )
    (log,) = read(made(METRICS, *rows))
    assert columns(log)["loss"].values.tolist() == [1]
    assert [(u.name, u.count, u.why) for u in log.unread] == [("loss", 1, "not a number")]


def test_a_database_without_a_run_is_refused() -> None:
    with pytest.raises(UnreadableError, match=r"0 runs \(0 deleted\)"):
        read(made(METRICS, RUNS))


def test_a_database_whose_end_is_missing_gives_what_is_left() -> None:
    rows = [f"INSERT INTO metrics VALUES ('loss', {n}, {n}, 'a', {n}, 0)" for n in range(5000)]
    data = made(METRICS, *rows)
    (log,) = read(data[: len(data) * 3 // 4])
    loss = columns(log)["loss"]
    assert loss.values.tolist() == list(range(len(loss.values)))
    assert 1000 < len(loss.values) < 5000
    assert [event.kind for event in log.events] == [EventKind.TORN]
