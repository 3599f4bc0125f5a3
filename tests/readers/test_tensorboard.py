import gzip
import math
import struct
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.event_bytes import event, event_file, framed, simple, tensor
from tests.protobuf_bytes import field
from traindx.errors import UnreadableError
from traindx.readers.binary.tfrecord import masked_crc32c
from traindx.readers.tensorboard import READER
from traindx.readers.types import HEAD_BYTES, Column, Log, Source
from traindx.run import Axis, Event, EventKind, Skipped

SAMPLE = (Path(__file__).parents[1] / "data/tensorboard/torch.tfevents").read_bytes()
NAME = "events.out.tfevents.1"


def source(data: bytes) -> Source:
    return Source(NAME, data[:HEAD_BYTES], data)


def read(data: bytes) -> Log:
    (log,) = READER.read(source(data))
    return log


def columns(log: Log) -> dict[str, Column]:
    return {column.name: column for column in log.columns}


def test_a_file_that_pytorch_wrote() -> None:
    log = read(SAMPLE)
    by_name = columns(log)
    assert list(by_name) == ["train/loss", "train/accuracy", "val/loss", "before"]
    loss, accuracy = by_name["train/loss"], by_name["train/accuracy"]
    assert loss.values.tolist() == [float(np.float32(1 / (step + 1))) for step in range(12)]
    assert accuracy.values.tolist() == [float(np.float32(step / 12)) for step in range(12)]
    assert loss.steps.tolist() == accuracy.steps.tolist() == list(range(12))
    assert loss.rows.tolist() == list(range(1, 24, 2))
    assert accuracy.rows.tolist() == list(range(2, 25, 2))
    assert math.isnan(by_name["val/loss"].values[0])
    assert (by_name["before"].values.tolist(), by_name["before"].steps.tolist()) == ([2.5], [-3.0])
    assert loss.times is not None
    assert bool(np.all(np.diff(loss.times) > 0))
    assert log.settings == {"learning_rate": 5e-05, "model.depth": 3, "lr": 0.1, "optimizer": "adam"}
    assert log.unread == (
        Skipped("histogram fc/weight", 1, "not a curve"),
        Skipped("text note/text_summary", 1, "not a curve"),
    )
    assert log.events == ()
    assert log.source == NAME


def test_it_is_recognized_by_its_frames_not_by_its_name() -> None:
    assert READER.recognizes(Source("anything.txt", SAMPLE[:HEAD_BYTES])) == 1.0
    assert READER.spans_folder


def test_an_event_file_without_its_version() -> None:
    assert READER.recognizes(source(framed(event(1, values=[simple("a", 1)])))) > 0.9


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"step,loss\n1,2\n",
        SAMPLE[1:],
        SAMPLE[:11],
        framed(b""),
        framed(field(1, b"a tf.train.Example")),
        framed(b"\xff\xff\xff\xff"),
    ],
)
def test_other_bytes_are_not_recognized(data: bytes) -> None:
    assert READER.recognizes(source(data)) == 0.0


def test_a_first_record_that_is_longer_than_the_head() -> None:
    data = framed(event(rest=field(4, bytes(100_000))))
    assert READER.recognizes(source(data)) == 0.9


def test_scalars_of_keras_are_tensors_over_epochs() -> None:
    values = [0.5, 0.25, 0.125]
    events = [
        event(i, values=[tensor(tag, 1, field(4, struct.pack("<f", value)))])
        for i, value in enumerate(values)
        for tag in ("epoch_loss", "batch_loss")
    ]
    by_name = columns(read(event_file(events)))
    assert by_name["epoch_loss"].axis is Axis.EPOCH
    assert by_name["batch_loss"].axis is Axis.STEP
    assert by_name["epoch_loss"].values.tolist() == by_name["batch_loss"].values.tolist() == values
    assert by_name["epoch_loss"].steps.tolist() == [0.0, 1.0, 2.0]


def test_values_written_together_share_a_row() -> None:
    by_name = columns(read(event_file(event(i, values=[simple("b", i), simple("a", -i)]) for i in range(50))))
    assert list(by_name) == ["b", "a"]
    assert by_name["a"].rows.tolist() == by_name["b"].rows.tolist() == list(range(1, 51))


def test_steps_stay_in_the_order_of_the_file() -> None:
    steps = [*range(200), *range(150, 400), 5]
    by_name = columns(
        read(event_file(event(step, values=[simple("loss", i)]) for i, step in enumerate(steps)))
    )
    assert by_name["loss"].steps.tolist() == steps
    assert by_name["loss"].values.tolist() == list(range(len(steps)))


def test_a_torn_tail_is_an_event() -> None:
    data = event_file(event(i, values=[simple("loss", i)]) for i in range(10))
    log = read(data[:-3])
    assert columns(log)["loss"].values.tolist() == list(range(9))
    at = len(event_file(event(i, values=[simple("loss", i)]) for i in range(9)))
    assert log.events == (Event(EventKind.TORN, f"the file ends inside the record at byte {at}"),)


def test_corrupt_data_costs_one_record() -> None:
    events = [event(i, values=[simple("loss", i)]) for i in range(100)]
    data = bytearray(event_file(events))
    at = len(event_file(events[:50]))
    data[at + 30] ^= 1
    log = read(bytes(data))
    assert columns(log)["loss"].values.tolist() == [i for i in range(100) if i != 50]
    assert log.unread == (Skipped("corrupt record", 1, f"checksum error, first at byte {at}"),)


def test_a_corrupt_length_ends_the_reading() -> None:
    events = [event(i, values=[simple("loss", i)]) for i in range(100)]
    data = bytearray(event_file(events))
    at = len(event_file(events[:50]))
    data[at] ^= 1
    log = read(bytes(data))
    assert columns(log)["loss"].values.tolist() == list(range(50))
    (unread,) = log.unread
    assert unread.name == "rest of the file"
    assert f"checksum error in the length at byte {at}" in unread.why


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (event_file([]), "without scalars (found only its version)"),
        (event_file([event(1, values=[field(1, b"w") + field(5, b"x")])] * 3), "found 3 x histogram w"),
        (event_file([])[:-1], "ends inside its first record"),
        (event_file([]) + bytes(40), "version); rest of the file: checksum error in the length at byte 40"),
    ],
)
def test_a_file_without_scalars_says_what_it_holds(data: bytes, says: str) -> None:
    with pytest.raises(UnreadableError) as error:
        read(data)
    assert says in str(error.value)


def test_a_session_that_starts_later_is_a_resumption() -> None:
    start = field(7, b"\x08\x01")
    log = read(event_file([event(0, rest=start), event(30, rest=start), event(30, values=[simple("a", 1)])]))
    says = "a new session starts at step 30"
    assert log.events == (Event(EventKind.RESUMED, says, 30.0),)


def test_settings_in_texts() -> None:
    table = "|param|value|\n|-|-|\n|seed|1|\n|learning_rate|0.00025|\n|cuda|True|\n|env|CartPole-v1|"
    model = '{"hidden": {"size": 64}, "layers": [1, 2]}'
    events = [
        event(values=[tensor("hyperparameters/text_summary", 7, field(8, table.encode()), plugin="text")]),
        event(values=[tensor("model_config/text_summary", 7, field(8, model.encode()), plugin="text")]),
        event(values=[tensor("note", 7, field(8, b"{ not json"), plugin="text")]),
    ]
    log = read(event_file(events))
    assert log.columns == ()
    assert log.settings == {
        "seed": 1,
        "learning_rate": 0.00025,
        "cuda": True,
        "env": "CartPole-v1",
        "model_config.hidden.size": 64,
    }
    assert log.unread == (Skipped("text note", 1, "not a curve"),)


def test_a_compressed_file_and_a_torn_compressed_file(tmp_path: Path) -> None:
    data = event_file(event(i, values=[simple("loss", i)]) for i in range(3000))
    packed = gzip.compress(data, mtime=0)
    path = tmp_path / "events.gz"
    for kept in (packed, packed[: len(packed) // 2]):
        path.write_bytes(kept)
        (log,) = READER.read(Source(str(path), data[:HEAD_BYTES]))
        values = columns(log)["loss"].values
        assert values.tolist() == list(range(len(values)))
        assert (len(values) == 3000) == (kept is packed)


def test_a_length_beyond_all_memory() -> None:
    header = struct.pack("<Q", 1 << 60)
    data = event_file([event(1, values=[simple("a", 1)])]) + header + struct.pack("<I", masked_crc32c(header))
    log = read(data)
    assert columns(log)["a"].values.tolist() == [1.0]
    assert log.unread == (Skipped(f"record of {1 << 60} bytes", 1, "longer than 16777216 bytes"),)
    assert [e.kind for e in log.events] == [EventKind.TORN]


def test_memory_stays_near_that_of_the_arrays(tmp_path: Path) -> None:
    events = [event(i, values=[simple(f"tag{k}", i)]) for i in range(20_000) for k in range(5)]
    path = tmp_path / NAME
    path.write_bytes(event_file(events))
    del events
    list(READER.read(Source(str(path), b"")))
    tracemalloc.start()
    (log,) = READER.read(Source(str(path), b""))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert sum(len(column.values) for column in log.columns) == 100_000
    # Two blocks of 4 MiB and what is made of one come on top, whatever the size of the file.
    assert peak < 3 * 32 * 100_000 + 24e6


@given(st.integers(0, len(SAMPLE)), st.binary(max_size=40))
def test_damaged_files_give_numbers_or_a_refusal(at: int, noise: bytes) -> None:
    data = SAMPLE[:at] + noise + SAMPLE[at + len(noise) :]
    assert 0 <= READER.recognizes(source(data)) <= 1
    try:
        log = read(data)
    except UnreadableError:
        return
    assert all(len(column.values) for column in log.columns)
