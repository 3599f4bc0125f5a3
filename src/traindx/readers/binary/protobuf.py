"""A walk over protobuf wire bytes, for messages whose schema we know and whose library we do without.

A message is a row of fields, each a tag (number and wire type) and a value. `fields` yields where each value
lies and copies nothing, so a caller skips a large payload at no cost:

    for number, wire, start, end in fields(message):
        if number == 1 and wire == LENGTH:
            name = message[start:end].decode("utf-8", "replace")
        elif number == 2 and wire == VARINT:
            step = signed(varint(message, start)[0])
"""

from collections.abc import Iterator

VARINT = 0
FIXED64 = 1
LENGTH = 2
FIXED32 = 5

Buffer = bytes | bytearray | memoryview
Field = tuple[int, int, int, int]
"""The field's number, its wire type, and where its value starts and ends (without the length of a LENGTH)."""

_FIXED_BYTES = {FIXED64: 8, FIXED32: 4}
_LONGEST_VARINT = 10


class WireError(ValueError):
    """Bytes that are no protobuf message."""


def varint(data: Buffer, at: int) -> tuple[int, int]:
    """Read the unsigned varint that starts at a position, and say where it ends."""
    value = shift = 0
    for position in range(at, min(at + _LONGEST_VARINT, len(data))):
        byte = data[position]
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & 0xFFFF_FFFF_FFFF_FFFF, position + 1
        shift += 7
    raise WireError(f"no varint ends within {_LONGEST_VARINT} bytes of byte {at}")


def signed(value: int) -> int:
    """Read an int32 or int64 as protobuf writes it: a negative number is its two's complement in 64 bits."""
    return value - (1 << 64) if value >> 63 else value


def fields(data: Buffer, start: int = 0, end: int | None = None) -> Iterator[Field]:
    """Walk the fields of the message in data[start:end]; raises `WireError` at the first one that is none."""
    stop = len(data) if end is None else end
    at = start
    while at < stop:
        tag = data[at]
        # Nearly every tag and length is one byte: the short way keeps a walk twice as fast.
        if tag < 0x80:
            at += 1
        else:
            tag, at = varint(data, at)
        number, wire = tag >> 3, tag & 7
        if wire == LENGTH:
            size, begin = varint(data, at)
            finish = begin + size
        elif wire == VARINT:
            begin, finish = at, varint(data, at)[1]
        elif wire in _FIXED_BYTES:
            begin, finish = at, at + _FIXED_BYTES[wire]
        else:
            raise WireError(f"wire type {wire} at byte {at}")
        if number == 0 or finish > stop:
            raise WireError(f"field {number} at byte {at} does not fit into the message")
        yield number, wire, begin, finish
        at = finish
