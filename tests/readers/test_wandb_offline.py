import gzip
import math
import random
import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.protobuf_bytes import field, varint
from tests.wandb_bytes import FILE_HEADER, history, item, log_of, record, step_of
from traindx.errors import UnreadableError
from traindx.readers.types import HEAD_BYTES, Column, Log, Source
from traindx.readers.wandb_offline import READER
from traindx.run import Axis, EventKind

SAMPLE = (Path(__file__).parents[1] / "data/wandb/run.wandb").read_bytes()
BLOCK = 32_768


def read(data: bytes) -> Log:
    (log,) = READER.read(Source("run.wandb", data[:HEAD_BYTES], data))
    return log


def columns(log: Log) -> dict[str, Column]:
    return {column.name: column for column in log.columns}


def unread(log: Log) -> dict[str, tuple[int, str]]:
    return {item.name: (item.count, item.why) for item in log.unread}


def test_a_run_that_wandb_wrote() -> None:
    by_name = columns(read(SAMPLE))
    assert set(by_name) == {
        "_runtime",
        "train/loss",
        "nested.a",
        "nested.b.c",
        "overflow",
        "val/acc",
        "epoch",
        "größe",
        "late",
    }
    loss = by_name["train/loss"]
    np.testing.assert_array_equal(loss.values, [1.0, 0.5, math.nan, math.inf, -math.inf, 0.1])
    assert loss.steps.tolist() == [0, 1, 2, 3, 4, 5]
    assert loss.rows.tolist() == [0, 1, 2, 3, 4, 5]
    assert loss.axis is Axis.STEP
    assert by_name["nested.b.c"].values.tolist() == [0, 0.5, 1, 1.5, 2, 2.5]
    assert by_name["overflow"].values.tolist() == [0, 0, 0, 1, 0, 0]
    assert by_name["val/acc"].values.tolist() == [0.1, 0.3, 0.5]
    assert by_name["val/acc"].steps.tolist() == [1, 3, 5]
    assert by_name["val/acc"].rows.tolist() == [1, 3, 5]
    assert by_name["größe"].values.tolist() == [1.5]
    assert (by_name["late"].values.tolist(), by_name["late"].steps.tolist()) == ([2.0**60], [130])


def test_times_are_seconds_of_the_epoch_in_every_column() -> None:
    by_name = columns(read(SAMPLE))
    times = by_name["_runtime"].times
    assert times is not None
    assert np.all((times > 1.7e9) & (times < 1.9e9) & (np.diff(times, prepend=0) > 0))
    sparse = by_name["val/acc"].times
    assert sparse is not None
    assert sparse.tolist() == times[[1, 3, 5]].tolist()


def test_the_settings_of_a_run_that_wandb_wrote() -> None:
    log = read(SAMPLE)
    expected = {
        "lr": 0.001,
        "optimizer.name": "adam",
        "amp": True,
        "late": 7,
        "wandb.name": "a run",
        "exit_code": 1,
    }
    assert {name: log.settings[name] for name in expected} == expected
    assert "_wandb" not in log.settings
    (event,) = log.events
    assert (event.kind, event.says) == (EventKind.EXCEPTION, "exit code 1")
    assert log.run == ""


def test_what_is_no_number_is_counted() -> None:
    counts = unread(read(SAMPLE))
    assert counts["note"] == (6, "text, not a number")
    assert counts["weights"] == counts["image"] == (1, "media, not a number")
    assert counts["list"] == (1, "a list, not a number")
    assert "nothing" not in counts  # null is a blank, not a value
    assert counts["console output"][0] >= 1


def test_recognized_by_its_header_alone() -> None:
    assert READER.recognizes(Source("x", FILE_HEADER)) == 1
    assert READER.recognizes(Source("run.wandb", b"loss,step\n")) == 0


def test_every_value_of_a_long_run() -> None:
    dice = random.Random(0)
    truth = {name: [dice.gauss(0, 1) * 10 ** dice.randint(-30, 30) for _ in range(20_000)] for name in "abc"}
    records = []
    for step in range(20_000):  # steps such as 130 hold the bytes of a value's tag
        items = [(name, repr(values[step])) for name, values in truth.items()]
        items += [("_timestamp", repr(1.7e9 + step / 7)), ("_step", str(step))]
        dice.shuffle(items)
        records += [record(3, b"summary"), history(step, dict(items))]
    log = read(log_of(records))
    assert (log.events, log.unread) == ((), ())
    for column in log.columns:
        assert column.values.tolist() == truth[column.name]
        assert column.steps.tolist() == list(range(20_000))
        assert column.times is not None
        assert column.times[7] == 1.7e9 + 1
    assert len(log.columns) == 3


def test_columns_of_every_row_share_their_arrays() -> None:
    log = read(log_of(history(step, {"a": "1", "b": "2", "_timestamp": "5"}) for step in range(10)))
    first, second = log.columns
    assert first.steps is second.steps
    assert first.rows is second.rows
    assert first.times is second.times


@pytest.mark.parametrize("length", [1, 100, 118, 119, 120, 121, 122, 123, 126, 127, 128, 130, 40_000])
def test_a_text_of_any_length_beside_a_number(length: int) -> None:
    log = read(log_of([history(3, {"note": f'"{"x" * length}"', "loss": "0.25"})]))
    assert columns(log)["loss"].values.tolist() == [0.25]
    assert unread(log) == {"note": (1, "text, not a number")}


def test_older_files_have_plain_keys_and_dicts_as_json() -> None:
    body = item("loss", '{"a": 1.5, "b": {"c": "NaN"}, "d": "text"}', nested=False) + item(
        "lr", "1e-3", nested=False
    )
    by_name = read(log_of([record(2, body + step_of(4))]))
    assert columns(by_name)["loss.a"].values.tolist() == [1.5]
    assert math.isnan(columns(by_name)["loss.b.c"].values[0])
    assert columns(by_name)["lr"].values.tolist() == [0.001]
    assert unread(by_name) == {"loss.d": (1, "text, not a number")}


def test_quoted_words_are_numbers() -> None:
    values = ['"NaN"', '"Infinity"', '"-Infinity"', "NaN", "Infinity", "-Infinity", "true", "false"]
    log = read(log_of(history(step, {"loss": value}) for step, value in enumerate(values)))
    expected = [math.nan, math.inf, -math.inf, math.nan, math.inf, -math.inf, 1, 0]
    np.testing.assert_array_equal(columns(log)["loss"].values, expected)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (b"\x18\x00", None),  # none
        (b"\x20\x01", 1.0),  # boolean
        (b"\x28" + varint(2 * 5 - 1), -5.0),  # integer, zigzag
        (b"\x31" + struct.pack("<d", 0.1), 0.1),  # number
        (b"\x31" + struct.pack("<d", math.inf), math.inf),
        (field(7, b"NaN"), math.nan),  # text
        (field(8, b"[1, 2]"), "a list, not a number"),  # json
        (field(8, b"0.5"), 0.5),
    ],
)
def test_typed_values(value: bytes, expected: float | str | None) -> None:
    body = field(1, field(2, b"x") + value) + item("y", "1") + step_of(2)
    log = read(log_of([record(2, body)]))
    by_name = columns(log)
    assert by_name["y"].values.tolist() == [1]
    if isinstance(expected, str):
        assert unread(log)["x"] == (1, expected)
    elif expected is None:
        assert ("x" in by_name, unread(log)) == (False, {})
    else:
        np.testing.assert_array_equal(by_name["x"].values, [expected])
        assert by_name["x"].steps.tolist() == [2]


def test_a_row_without_a_step_takes_that_of_its_items() -> None:
    rows = [item("loss", "0.5") + item("_step", "7"), item("loss", "0.25")]
    log = read(log_of(record(2, body) for body in rows))
    assert columns(log)["loss"].steps.tolist() == [7]
    assert unread(log) == {"loss": (1, "in a row without a step, not a number")}


def test_fields_after_the_history_are_no_part_of_it() -> None:
    control = field(16, field(2, b"mailbox"))  # its tag is that of a value
    log = read(log_of([history(step, {"loss": "0.5"}) + control for step in range(3)]))
    assert columns(log)["loss"].steps.tolist() == [0, 1, 2]
    assert log.unread == ()


def test_an_empty_row_is_a_row() -> None:
    log = read(
        log_of(
            [record(2, b""), history(1, {"loss": "0.5"}), record(2, step_of(2)), history(3, {"loss": "0.25"})]
        )
    )
    assert columns(log)["loss"].rows.tolist() == [1, 3]
    assert log.unread == ()


def test_an_interrupted_run() -> None:
    log = read(log_of([history(0, {"loss": "1"}), record(18, b"\x08" + varint(255))]))
    assert log.settings["exit_code"] == 255
    assert [event.kind for event in log.events] == [EventKind.INTERRUPTED]


def test_a_finished_run_has_no_event() -> None:
    log = read(log_of([history(0, {"loss": "1"}), record(18, b"")]))
    assert (log.settings["exit_code"], log.events) == (0, ())


def test_a_resumed_run() -> None:
    run = field(1, b"id") + b"\x70" + varint(500) + b"\x90\x01\x01"
    log = read(log_of([record(17, run), history(500, {"loss": "1"})]))
    assert [(event.kind, event.step) for event in log.events] == [(EventKind.RESUMED, 500)]


def test_compressed() -> None:
    data = gzip.compress(SAMPLE)
    (log,) = READER.read(Source("run.wandb.gz", SAMPLE, data))
    assert len(log.columns) == 9


def rows_over_blocks() -> tuple[bytes, list[float]]:
    values = [step / 3 for step in range(3000)]
    return log_of(history(s, {"loss": repr(v), "pad": f'"{"x" * 60}"'}) for s, v in enumerate(values)), values


@pytest.mark.parametrize("kept", [0.999, 0.9, 0.5, 0.1])
def test_a_torn_end_gives_all_rows_before_it(kept: float) -> None:
    data, values = rows_over_blocks()
    log = read(data[: int(len(data) * kept)])
    loss = columns(log)["loss"]
    assert loss.values.tolist() == values[: len(loss.values)]
    assert len(loss.values) > len(values) * kept - 2
    assert [event.kind for event in log.events] == [EventKind.TORN]


def test_a_tail_of_zeros_is_torn() -> None:
    data, values = rows_over_blocks()
    log = read(data + bytes(100))
    assert columns(log)["loss"].values.tolist() == values
    assert [event.says for event in log.events] == [
        f"the last record, at byte {len(data):,}, does not match its checksum"
    ]


def test_a_damaged_block_is_skipped_and_said() -> None:
    data, values = rows_over_blocks()
    damaged = bytearray(data)
    damaged[BLOCK + 1000] ^= 0xFF
    log = read(bytes(damaged))
    loss = columns(log)["loss"]
    lost = sorted(set(range(3000)) - set(loss.steps.astype(int).tolist()))
    assert loss.values.tolist() == [values[int(step)] for step in loss.steps]
    assert lost == list(range(lost[0], lost[-1] + 1))
    assert 0 < len(lost) <= BLOCK // 100
    assert log.events == ()
    ((name, (count, why)),) = [(n, w) for n, w in unread(log).items() if n.startswith("damage")]
    assert count == 1
    assert BLOCK < int(name.removeprefix("damage at byte ").replace(",", "")) < BLOCK + 1001
    assert why == "a record does not match its checksum; continued at the next block of 32,768 bytes"


@pytest.mark.parametrize("data", [FILE_HEADER, FILE_HEADER + b"\x01\x02", FILE_HEADER + bytes(400)])
def test_a_run_killed_before_its_first_block(data: bytes) -> None:
    with pytest.raises(UnreadableError, match="no complete record of a run"):
        read(data)


def read_or_refuse(data: bytes) -> list[Log]:
    try:
        return [read(data)]
    except UnreadableError:
        return []


@given(st.binary(max_size=300))
def test_noise_after_the_header(noise: bytes) -> None:
    assert all(log.columns == () for log in read_or_refuse(FILE_HEADER + noise))


@given(st.lists(st.binary(max_size=60), max_size=5), st.sampled_from([2, 5, 17, 18, 3]))
def test_records_of_noise(noise: list[bytes], kind: int) -> None:
    good = history(1, {"loss": "0.5"})
    log = read(log_of([good, *(record(kind, body) for body in noise), *noise, good]))
    loss = columns(log)["loss"]
    assert loss.values[0] == loss.values[-1] == 0.5


@given(st.binary(min_size=1, max_size=40), st.integers(0, 400))
def test_noise_within_a_row(noise: bytes, at: int) -> None:
    good = history(1, {"loss": "0.5", "other/metric": "1e-3"})
    at %= len(good)
    log = read(log_of([good, good[:at] + noise + good[at:], good]))
    loss = columns(log)["loss"]
    assert loss.values[0] == loss.values[-1] == 0.5
