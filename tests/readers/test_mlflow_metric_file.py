import math
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from traindx.errors import UnreadableError
from traindx.readers.mlflow_metric_file import READER
from traindx.readers.types import HEAD_BYTES, Log, Source
from traindx.run import Axis, EventKind

STORE = Path(__file__).parents[1] / "data/mlflow/metrics"
SAMPLE = (STORE / "loss").read_bytes()


def read(data: bytes, path: str = "loss") -> Log:
    (log,) = READER.read(Source(path, data[:HEAD_BYTES], data))
    return log


def sureness(data: bytes) -> float:
    return READER.recognizes(Source("x", data[:HEAD_BYTES], data))


def test_a_file_that_mlflow_wrote() -> None:
    log = read(SAMPLE)
    (loss,) = log.columns
    np.testing.assert_array_equal(loss.values, [1, 0.5, 1 / 3, 0.25, math.nan, math.inf, -math.inf, 0.75])
    assert loss.steps.tolist() == [0, 1, 2, 3, 4, 5, 6, 2]
    assert loss.rows.tolist() == list(range(8))
    assert loss.axis is Axis.STEP
    assert loss.times is not None
    assert loss.times[0] == int(SAMPLE[:13]) / 1000
    assert (log.events, log.unread, log.run) == ((), (), "")


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("mlruns/0/abc/metrics/loss", "loss"),
        ("mlruns/0/abc/metrics/val/acc", "val/acc"),
        ("metrics/mlruns/0/abc/metrics/eval/metrics", "eval/metrics"),
        ("downloads/training_score", "training_score"),
        ("loss", "loss"),
    ],
)
def test_the_path_names_the_metric(path: str, name: str) -> None:
    assert read(SAMPLE, path).columns[0].name == name


def test_the_files_of_a_folder_are_one_run() -> None:
    assert READER.spans_folder
    log = next(READER.read(Source(str(STORE / "val/acc"), (STORE / "val/acc").read_bytes())))
    assert (log.columns[0].name, log.columns[0].values.tolist()) == ("val/acc", [0, 0.1, 0.2, 0.3])


def test_lines_without_a_step_count_records() -> None:
    (column,) = read(b"1691583777 0.5\n1691583778 0.25\n").columns
    assert (column.axis, column.steps.tolist()) == (Axis.RECORD, [0, 1])
    assert column.times is not None
    assert column.times.tolist() == [1691583777, 1691583778]


def test_words_after_the_step_are_let_be() -> None:
    data = b"1691583777183 0.5 7 data 1a2b\n1691583777184 1e-7 8 data 1a2b\r\n"
    (column,) = read(data).columns
    assert (column.values.tolist(), column.steps.tolist()) == ([0.5, 1e-7], [7, 8])


@pytest.mark.parametrize(
    "data",
    [
        SAMPLE,
        SAMPLE * 2000,
        b"1691583777183 30.7 0",
        b"1691583777 0.5\n",
        b"1691583777183 -1.5e+20 -3\n169158",
        b"1691583777183 nan 0 name digest\n",
    ],
)
def test_recognized_by_its_lines(data: bytes) -> None:
    assert sureness(data) == 0.85


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n",
        b"step loss\n1691583777183 0.5 1\n",
        b"1 0.5 2\n2 0.4 3\n",
        b"1691583777183 0.5 one\n",
        b"1691583777183,0.5,1\n",
        b"1691583777183 0.5 1\nloss 0.5\n",
        b"1691583777183\n",
        b"9999999999999 0.5 1\n",
    ],
)
def test_other_tables_are_not_recognized(data: bytes) -> None:
    assert sureness(data) == 0


@pytest.mark.parametrize(
    "end", [b"1691583777190", b"1691583777190 0.", b"1691583777190 0.5", b"1691583777190 0.5 1"]
)
def test_a_torn_line_is_left_out_and_said(end: bytes) -> None:
    log = read(b"1691583777183 0.75 11\n1691583777184 0.5 12\n" + end)
    assert log.columns[0].values.tolist() == [0.75, 0.5]
    assert [(e.kind, e.says) for e in log.events] == [(EventKind.TORN, "line 3 is cut off")]


def test_a_last_line_without_newline_counts_if_its_step_goes_on() -> None:
    log = read(b"1691583777183 0.75 11\n1691583777184 0.5 12")
    assert (log.columns[0].values.tolist(), log.events) == ([0.75, 0.5], ())
    assert read(b"1691583777183 0.75 0").columns[0].values.tolist() == [0.75]


def test_other_lines_are_counted() -> None:
    log = read(b"1691583777183 0.75 11\nnoise\n1691583777184 high 12\n1691583777185 0.5 13\n")
    assert log.columns[0].values.tolist() == [0.75, 0.5]
    assert [(u.name, u.count) for u in log.unread] == [("lines", 2)]


def test_a_file_larger_than_one_block() -> None:
    lines = b"".join(b"1691583777183 %d.5 %d\n" % (n, n) for n in range(200_000))
    assert len(lines) > 1 << 22
    (column,) = read(lines).columns
    assert column.steps.tolist() == list(range(200_000))
    assert column.values[-1] == 199_999.5


def test_nothing_to_read_is_refused() -> None:
    with pytest.raises(UnreadableError, match="no line has a time, a value and a step"):
        read(b"hello\nworld\n")


@given(st.binary(max_size=200), st.integers(0, len(SAMPLE)))
def test_noise(noise: bytes, at: int) -> None:
    data = SAMPLE[:at] + noise + SAMPLE[at:]
    assert sureness(data) in (0, 0.85)
    assert sureness(noise) in (0, 0.85)
    with suppress(UnreadableError):
        values = read(data).columns[0].values
        assert SAMPLE.count(b"\n") - 2 <= len(values) <= data.count(b"\n") + 1
