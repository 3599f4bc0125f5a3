import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from traindx.errors import UnreadableError
from traindx.readers.json_lines import READER
from traindx.readers.loading.files import in_memory
from traindx.readers.types import Column, Log
from traindx.run import Axis, EventKind, Split

SAMPLE = b"""{"lr": 0.0001, "batch_size": 32, "model": "vit"}
{"step": 10, "loss": 2.5, "lr": 0.0001}
{"step": 20, "loss": NaN, "lr": 0.0001, "grad": {"norm": 1.5}}
{"step": 20, "val_loss": 2.25}
{"step": 30, "loss": "1.75", "lr": "1e-05", "per_class": [0.1, 0.2]}
"""


def one_log(text: str | bytes) -> Log:
    (log,) = READER.read(in_memory("t", text if isinstance(text, bytes) else text.encode()))
    return log


def columns(text: str | bytes) -> dict[str, Column]:
    return {column.name: column for column in one_log(text).columns}


def test_records_of_several_kinds() -> None:
    log = one_log(SAMPLE)
    by_name = {column.name: column for column in log.columns}
    assert by_name["loss"].steps.tolist() == [10, 20, 30]
    assert np.array_equal(by_name["loss"].values, [2.5, math.nan, 1.75], equal_nan=True)
    assert by_name["lr"].values.tolist() == [0.0001, 0.0001, 1e-05]
    assert by_name["grad/norm"].rows.tolist() == [1]
    assert (by_name["val_loss"].steps.tolist(), by_name["val_loss"].rows.tolist()) == ([20], [2])
    assert log.settings == {"lr": 0.0001, "batch_size": 32, "model": "vit"}
    assert [(item.name, item.count) for item in log.unread] == [("per_class", 1)]
    assert log.events == ()


def test_null_true_and_durations_are_no_values() -> None:
    log = one_log(
        '{"step": 1, "loss": null, "best": true, "took": "0:29:05"}\n'
        '{"step": 2, "loss": 0.5, "best": false, "took": "0:30:10"}\n'
    )
    assert [(column.name, column.values.tolist()) for column in log.columns] == [("loss", [0.5])]
    assert {item.name: item.count for item in log.unread} == {"best": 2, "took": 2}


def test_a_torn_last_line() -> None:
    log = one_log('{"step": 1, "loss": 0.5}\n{"step": 2, "loss": 0.4}\n{"step": 3, "lo')
    assert [(event.kind, event.says) for event in log.events] == [
        (EventKind.TORN, "the last line (3) is incomplete")
    ]
    assert log.columns[0].values.tolist() == [0.5, 0.4]


def test_a_broken_line_in_the_middle_is_counted() -> None:
    log = one_log('{"step": 1, "loss": 0.5}\nWARNING: slow\n{"step": 2, "loss": 0.4}\n')
    assert log.columns[0].steps.tolist() == [1, 2]
    assert [(item.count, item.why) for item in log.unread] == [(1, "not JSON; the first is line 2")]


def test_modes_part_the_rows() -> None:
    log = one_log(
        '{"epoch": 1, "split": "train", "loss": 0.5}\n{"epoch": 1, "split": "val", "loss": 0.6}\n'
        '{"epoch": 2, "split": "train", "loss": 0.4}\n{"epoch": 2, "split": "val", "loss": 0.55}\n'
    )
    by_name = {(column.name, column.split): column for column in log.columns}
    assert by_name["loss", Split.TRAIN].values.tolist() == [0.5, 0.4]
    assert by_name["loss", Split.VALIDATION].values.tolist() == [0.6, 0.55]
    assert by_name["loss", Split.TRAIN].axis is Axis.EPOCH


def test_one_number_per_line() -> None:
    by_name = columns(
        '{"name": "loss", "value": 0.5, "step": 1}\n{"name": "lr", "value": 0.1, "step": 1}\n'
        '{"name": "loss", "value": 0.4, "step": 2}\n'
    )
    assert by_name["loss"].values.tolist() == [0.5, 0.4]
    assert by_name["lr"].rows.tolist() == [0]


def test_large_integers_and_dates() -> None:
    by_name = columns(
        '{"time": "2024-05-01T12:00:03", "step": 1, "loss": 1e400, "tokens": 123456789012345678901234}\n'
        '{"time": "2024-05-01T12:00:04", "step": 2, "loss": 3, "tokens": 5}\n'
    )
    assert by_name["loss"].values.tolist() == [math.inf, 3]
    assert by_name["tokens"].values.tolist() == [float(123456789012345678901234), 5]
    assert by_name["loss"].times is not None
    assert by_name["loss"].times.tolist() == [1714564803.0, 1714564804.0]


def test_many_lines_are_read_exactly() -> None:
    rng = np.random.default_rng(0)
    loss = rng.standard_normal(20_000)
    lines = [json.dumps({"step": i, "loss": value}) for i, value in enumerate(loss.tolist())]
    lines[12_345] = '{"step": 12345, "loss": Infinity}'
    by_name = columns("\n".join(lines))
    expected = loss.copy()
    expected[12_345] = np.inf
    assert np.array_equal(by_name["loss"].values, expected)
    assert by_name["loss"].steps.tolist() == list(range(20_000))


def test_records_of_something_else_are_hardly_a_log() -> None:
    prompts = b'{"prompt": "a", "label": 1}\n{"prompt": "b", "label": 0}\n'
    assert READER.recognizes(in_memory("t", prompts)) < 0.1
    assert READER.recognizes(in_memory("t", SAMPLE)) == 0.6
    assert READER.recognizes(in_memory("t", b'{\n "loss": 0.5\n}\n')) == 0


def test_nothing_to_read_is_refused() -> None:
    with pytest.raises(UnreadableError, match="no line with a number found"):
        one_log("[1, 2]\n[3]\n")


@given(st.binary(max_size=200).map(lambda noise: SAMPLE[:150] + noise))
def test_whatever_the_bytes_it_reads_or_refuses(data: bytes) -> None:
    source = in_memory("t", data)
    assert 0 <= READER.recognizes(source) <= 1
    assert any(log.columns for log in READER.read(source))
