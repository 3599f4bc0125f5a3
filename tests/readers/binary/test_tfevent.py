import math
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.event_bytes import event, simple, tensor
from tests.protobuf_bytes import field, varint
from traindx.readers.binary.protobuf import Number, Other, WireError, parse_event

FLOAT, DOUBLE, INT32, UINT8, STRING, INT64, BOOL, BFLOAT16, HALF, UINT64 = 1, 2, 3, 4, 7, 9, 10, 14, 19, 23


def test_a_scalar_of_pytorch() -> None:
    record = event(7, seconds=12.5, values=[simple("loss", 0.5)])
    parsed = parse_event(record)
    (number,) = parsed.numbers
    assert (parsed.seconds, parsed.step, number.tag, number.value) == (12.5, 7, "loss", 0.5)
    assert struct.unpack_from("<d", record, parsed.seconds_at) == (12.5,)
    assert record[slice(*parsed.step_span)] == b"\x07"
    assert np.frombuffer(record, number.format, 1, number.at) == [0.5]


def test_a_step_that_is_not_written_is_zero() -> None:
    assert parse_event(event(0, values=[simple("loss", 1)])).step == 0


@pytest.mark.parametrize("step", [1, 127, 128, 16_384, 2**40, 2**63 - 1, -1, -(2**63)])
def test_steps_of_every_width(step: int) -> None:
    assert parse_event(event(step, values=[simple("loss", 1)])).step == step


@pytest.mark.parametrize(
    ("dtype", "data", "value"),
    [
        (FLOAT, field(5, struct.pack("<f", 0.25)), 0.25),
        (FLOAT, b"\x2d" + struct.pack("<f", 0.25), 0.25),
        (FLOAT, field(4, struct.pack("<f", 0.25)), 0.25),
        (FLOAT, b"", 0.0),
        (DOUBLE, field(6, struct.pack("<d", 0.1)), 0.1),
        (DOUBLE, field(4, struct.pack("<d", 0.1)), 0.1),
        (INT32, field(7, varint(-3)), -3.0),
        (INT32, b"\x38" + varint(300), 300.0),
        (INT32, field(4, struct.pack("<i", -3)), -3.0),
        (UINT8, field(7, varint(200)), 200.0),
        (INT64, field(10, varint(-(2**40))), -(2.0**40)),
        (INT64, field(4, struct.pack("<q", 2**40)), 2.0**40),
        (UINT64, field(17, varint(2**64 - 1)), 2.0**64),
        (BOOL, field(11, b"\x01"), 1.0),
        (HALF, field(13, varint(0x3800)), 0.5),
        (HALF, field(4, b"\x00\x38"), 0.5),
        (BFLOAT16, field(13, varint(0x3F00)), 0.5),
        (BFLOAT16, field(4, b"\x00\x3f"), 0.5),
    ],
)
def test_a_tensor_of_one_element_is_a_number(dtype: int, data: bytes, value: float) -> None:
    for shape in ((), (1,), (1, 1)):
        (number,) = parse_event(event(1, values=[tensor("x", dtype, data, shape=shape)])).numbers
        assert (number.tag, number.value) == ("x", value)


def test_not_a_number_stays_what_it_is() -> None:
    (number,) = parse_event(event(1, values=[simple("x", math.nan)])).numbers
    assert math.isnan(number.value)


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (tensor("x", FLOAT, field(4, bytes(8)), shape=(2,)), "tensor"),
        (tensor("x", FLOAT, field(4, bytes(5))), "tensor"),
        (tensor("x", 8, b""), "tensor"),
        (tensor("x", FLOAT, field(4, bytes(24)), plugin="histograms", shape=(1, 3)), "histogram"),
        (tensor("x", STRING, field(8, b"png"), plugin="images"), "image"),
        (tensor("x", STRING, field(8, b"hello"), plugin="text"), "text"),
        (field(1, b"x") + field(4, b"image"), "image"),
        (field(1, b"x") + field(5, b"\xff\xff not walked"), "histogram"),
        (field(1, b"x") + field(6, b"audio"), "audio"),
        (field(1, b"x"), "empty value"),
    ],
)
def test_what_is_not_one_number_has_a_kind(value: bytes, kind: str) -> None:
    parsed = parse_event(event(1, values=[value]))
    assert [(other.kind, other.tag) for other in parsed.others] == [(kind, "x")]
    assert parsed.numbers == ()


def test_texts_are_kept() -> None:
    (other,) = parse_event(
        event(values=[tensor("x", STRING, field(8, b"a") + field(8, b"b"), plugin="text")])
    ).others
    assert other == Other("text", "x", text="a\nb")


def test_several_values_in_one_event() -> None:
    parsed = parse_event(event(3, values=[simple("a", 1), field(1, b"h") + field(5, b""), simple("b", 2)]))
    assert [(n.tag, n.value) for n in parsed.numbers] == [("a", 1.0), ("b", 2.0)]
    assert parsed.others == (Other("histogram", "h"),)


def test_a_tensor_without_a_tag_has_the_name_of_its_node() -> None:
    value = tensor("", FLOAT, field(4, struct.pack("<f", 2.0)), plugin="") + field(7, b"node")
    assert parse_event(event(values=[value])).numbers[0].tag == "node"


def test_hyperparameters() -> None:
    def entry(name: str, value: bytes) -> bytes:
        return field(1, field(1, name.encode()) + field(2, value))

    session = (
        entry("lr", b"\x11" + struct.pack("<d", 0.1))
        + entry("optimizer", field(3, b"adam"))
        + entry("amp", b"\x20\x01")
        + entry("nothing", b"\x08\x00")
    )
    plugin = field(1, field(1, b"hparams") + field(2, field(3, session)))
    (other,) = parse_event(event(values=[field(1, b"x") + field(9, plugin)])).others
    assert other.settings == {"lr": 0.1, "optimizer": "adam", "amp": True}


def test_what_an_event_holds_beside_a_summary() -> None:
    assert parse_event(event(rest=field(3, b"brain.Event:2"))).version == "brain.Event:2"
    assert parse_event(event(rest=field(4, b"graph"))).others == (Other("graph"),)
    assert parse_event(event(30, rest=field(7, b"\x08\x01"))).session_starts
    assert not parse_event(event(30, rest=field(7, b"\x08\x02"))).session_starts


def test_a_value_of_the_wrong_wire_type_is_not_read() -> None:
    parsed = parse_event(event(1, values=[field(1, b"x") + field(2, b"ab")]))
    assert (parsed.numbers, parsed.others) == ((), (Other("empty value", "x"),))


@given(st.integers(0, 60), st.binary(max_size=8))
def test_damaged_records_are_events_or_an_error(at: int, noise: bytes) -> None:
    record = event(300, values=[simple("loss", 1), tensor("x", FLOAT, field(4, bytes(4)))])
    damaged = record[:at] + noise + record[at + len(noise) :]
    try:
        parsed = parse_event(damaged)
    except WireError:
        return
    assert all(isinstance(number, Number) for number in parsed.numbers)
