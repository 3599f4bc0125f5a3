import pytest
from hypothesis import given
from hypothesis import strategies as st

from traindx.readers.binary.protobuf import (
    FIXED32,
    FIXED64,
    LENGTH,
    VARINT,
    WireError,
    fields,
    signed,
    varint,
)


def test_every_wire_type() -> None:
    message = b"\x08\x96\x01" + b"\x12\x03abc" + b"\x19" + bytes(8) + b"\x25" + bytes(4)
    assert list(fields(message)) == [
        (1, VARINT, 1, 3),
        (2, LENGTH, 5, 8),
        (3, FIXED64, 9, 17),
        (4, FIXED32, 18, 22),
    ]
    assert varint(message, 1) == (150, 3)


def test_a_field_number_of_two_bytes() -> None:
    assert list(fields(b"\x82\x01\x02hi")) == [(16, LENGTH, 3, 5)]


def test_only_the_part_asked_for_is_walked() -> None:
    assert list(fields(b"\xff\x08\x05\xff", 1, 3)) == [(1, VARINT, 2, 3)]


def test_an_empty_message_has_no_fields() -> None:
    assert list(fields(b"")) == []


def test_a_negative_number_is_ten_bytes() -> None:
    value, end = varint(b"\xff" * 9 + b"\x01", 0)
    assert (signed(value), end) == (-1, 10)
    assert signed(5) == 5
    assert signed(1 << 63) == -(1 << 63)


@pytest.mark.parametrize(
    "message",
    [
        b"\x08",  # a key without a value
        b"\x08" + b"\x80" * 11,  # a varint that does not end
        b"\x12\x05abc",  # shorter than its length says
        b"\x12\xff\xff\xff\xff\xff\xff\xff\xff\x7f",  # a length of 2^63
        b"\x0b",  # a group, which nobody writes any more
        b"\x00\x01",  # field number 0
        b"\x19\x00",  # eight bytes promised, one there
    ],
)
def test_garbage_is_one_kind_of_error(message: bytes) -> None:
    with pytest.raises(WireError):
        list(fields(message))


def test_a_value_may_not_reach_beyond_its_message() -> None:
    with pytest.raises(WireError):
        list(fields(b"\x12\x03abc", 0, 4))


@given(st.binary(max_size=200))
def test_any_bytes_are_fields_or_an_error(data: bytes) -> None:
    try:
        parsed = list(fields(data))
    except WireError:
        return
    assert all(0 < start <= end <= len(data) for _, _, start, end in parsed)
