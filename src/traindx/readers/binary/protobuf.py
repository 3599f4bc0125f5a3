"""Protobuf messages, read without their libraries: the fields of any message, and TensorFlow's `Event`.

A message is a row of fields, each a tag (number and wire type) and a value. `fields` yields where each value
lies and copies nothing, so a caller skips a large payload at no cost.

The messages of an event file:

    Event    1 wall_time, 2 step, 3 file_version, 4 graph_def, 5 summary, 7 session_log, ...
    Value    1 tag, 2 simple_value, 4 image, 5 histogram, 6 audio, 7 node_name, 8 tensor, 9 metadata
    Tensor   1 dtype, 2 shape, 4 content, 5 float_val, 6 double_val, 7 int_val, 8 string_val, ...

PyTorch and TensorFlow 1 write a scalar as `simple_value`, TensorFlow 2 and Keras as a tensor without
dimensions. A step of 0 is not written at all. Images, histograms and graphs are stepped over, never walked.
"""

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from traindx.run import Scalar

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


Span = tuple[int, int]
"""Where something starts and ends in the record."""

_EVENT_KINDS = {4: "graph", 6: "log message", 8: "run metadata", 9: "graph"}
_VALUE_KINDS = {3: "histogram", 4: "image", 5: "histogram", 6: "audio"}
_SESSION_STARTS = 1

_FLOAT, _DOUBLE, _STRING, _BFLOAT16, _HALF, _UINT64 = 1, 2, 7, 14, 19, 23
_FORMATS = {
    _FLOAT: "<f4",
    _DOUBLE: "<f8",
    3: "<i4",
    4: "|u1",
    5: "<i2",
    6: "|i1",
    9: "<i8",
    10: "|b1",
    _BFLOAT16: "<u2",
    17: "<u2",
    _HALF: "<f2",
    22: "<u4",
    _UINT64: "<u8",
}
"""How the content of a tensor is stored, by its dtype; for bfloat16 the format of its bits."""
_INT_VALUES = 7
_TYPED_VALUES = {_FLOAT: 5, _DOUBLE: 6, 9: 10, 10: 11, _BFLOAT16: 13, _HALF: 13, 22: 16, _UINT64: 17}
"""The field that holds the values if `content` does not, by dtype; all others use `int_val`."""


@dataclass(frozen=True, slots=True)
class Number:
    """One scalar of a record."""

    tag: str
    value: float
    at: int = -1
    """Where in the record it lies, if that is the same for every value it may take; else -1."""
    format: str = ""


@dataclass(frozen=True, slots=True)
class Other:
    """Something in a record that is not a number."""

    kind: str
    tag: str = ""
    text: str = ""
    settings: Mapping[str, Scalar] | None = None


@dataclass(frozen=True, slots=True)
class TfEvent:
    """One record of an event file."""

    seconds: float
    seconds_at: int
    step: int
    step_span: Span
    numbers: tuple[Number, ...]
    others: tuple[Other, ...]
    version: str
    """Such as "brain.Event:2"; only the first record of a file has one."""
    session_starts: bool
    """Whether the record says that a training session starts at its step."""


def parse_event(record: bytes) -> TfEvent:
    """Read a record; raises `WireError` if it is no message."""
    seconds_at, step_span, version, starts = -1, (0, 0), "", False
    numbers: list[Number] = []
    others: list[Other] = []
    for number, wire, start, end in fields(record):
        if number == 1 and wire == FIXED64:
            seconds_at = start
        elif number == 2 and wire == VARINT:
            step_span = start, end
        elif wire != LENGTH:
            continue
        elif number == 5:
            values = [_value(record, span) for span in _inner(record, 1, (start, end))]
            numbers += [value for value in values if isinstance(value, Number)]
            others += [value for value in values if isinstance(value, Other)]
        elif number == 3:
            version = _text(record, (start, end))
        elif number == 7:
            starts = integer(record, 1, (start, end)) == _SESSION_STARTS
        elif number in _EVENT_KINDS:
            others.append(Other(_EVENT_KINDS[number]))
    return TfEvent(
        seconds=struct.unpack_from("<d", record, seconds_at)[0] if seconds_at >= 0 else 0.0,
        seconds_at=seconds_at,
        step=signed(varint(record, step_span[0])[0]) if step_span[1] else 0,
        step_span=step_span,
        numbers=tuple(numbers),
        others=tuple(others),
        version=version,
        session_starts=starts,
    )


def _text(record: bytes, span: Span) -> str:
    return record[span[0] : span[1]].decode("utf-8", "replace")


def _inner(record: bytes, wanted: int, span: Span) -> Iterator[Span]:
    """Where the texts or messages under one field number lie."""
    return (
        (start, end)
        for number, wire, start, end in fields(record, *span)
        if (number, wire) == (wanted, LENGTH)
    )


def integer(message: bytes, wanted: int, span: Span) -> int:
    """The integer under one field number; 0, which is not written, if there is none."""
    value = 0
    for number, wire, start, _ in fields(message, *span):
        if number == wanted and wire == VARINT:
            value = signed(varint(message, start)[0])
    return value


def _value(record: bytes, span: Span) -> Number | Other:
    """One value of a summary: a number if it is one, else what kind of thing it is."""
    parts: dict[int, Span] = {}
    kind = ""
    for number, wire, start, end in fields(record, *span):
        if wire == (FIXED32 if number == 2 else LENGTH):
            parts[number] = start, end
            kind = _VALUE_KINDS.get(number, kind)
    # Old tensor summaries carry the name of their graph node in place of a tag.
    tag = _text(record, parts.get(1, (0, 0))) or _text(record, parts.get(7, (0, 0)))
    if 2 in parts:
        at = parts[2][0]
        return Number(tag, struct.unpack_from("<f", record, at)[0], at, "<f4")
    plugin, content = "", b""
    for data in _inner(record, 1, parts.get(9, (0, 0))):
        plugin = "".join(_text(record, name) for name in _inner(record, 1, data))
        content = b"".join(record[start:end] for start, end in _inner(record, 2, data))
    if plugin == "hparams":
        return Other("hparams", tag, settings=_hparams(content))
    if 8 in parts:
        return _tensor(record, parts[8], tag, plugin)
    return Other(kind or plugin or "empty value", tag)


def _tensor(record: bytes, span: Span, tag: str, plugin: str) -> Number | Other:
    """A tensor of one element is a number, a tensor of strings is a text, any other only has a kind."""
    dtype, single = 0, True
    parts: dict[int, Span] = {}
    for number, wire, start, end in fields(record, *span):
        if number == 1 and wire == VARINT:
            dtype = varint(record, start)[0]
        elif number == 2 and wire == LENGTH:
            for dimension in _inner(record, 2, (start, end)):
                single = single and integer(record, 1, dimension) == 1
        elif start < end:
            parts[number] = start, end
    kind = "tensor" if plugin in ("", "scalars") else plugin.removesuffix("s")
    if dtype == _STRING and kind in ("tensor", "text"):
        lines = [_text(record, line) for line in _inner(record, 8, span)]
        return Other("text", tag, text="\n".join(lines))
    number_found = _number(record, parts, tag, dtype) if dtype in _FORMATS and single else None
    return number_found or Other(kind, tag)


def _number(record: bytes, parts: Mapping[int, Span], tag: str, dtype: int) -> Number | None:
    """The one element of a tensor, from its content or else from its typed values."""
    stored = np.dtype(_FORMATS[dtype])
    typed = _TYPED_VALUES.get(dtype, _INT_VALUES)
    if 4 not in parts and typed not in parts:
        # All zeros need no bytes.
        return Number(tag, 0.0)
    start, end = parts[4] if 4 in parts else parts[typed]
    if 4 not in parts and dtype not in (_FLOAT, _DOUBLE):
        return Number(tag, _from_varint(varint(record, start)[0], dtype))
    if end - start != stored.itemsize:
        return None
    raw = np.frombuffer(record, stored, 1, start)
    if dtype == _BFLOAT16:
        return Number(tag, _bfloat16(int(raw[0])))
    return Number(tag, float(raw[0]), start, stored.str)


def _from_varint(bits: int, dtype: int) -> float:
    if dtype == _BFLOAT16:
        return _bfloat16(bits & 0xFFFF)
    if dtype == _HALF:
        return float(np.uint16(bits & 0xFFFF).view(np.float16))
    return float(bits if dtype == _UINT64 else signed(bits))


def _bfloat16(bits: int) -> float:
    """A bfloat16 is the upper half of a float32."""
    return float(np.uint32(bits << 16).view(np.float32))


def _hparams(content: bytes) -> dict[str, Scalar]:
    """The hyperparameters that a session starts with: a map from names to JSON-like values."""
    scalars: dict[str, Scalar] = {}
    for session in _inner(content, 3, (0, len(content))):
        for entry in _inner(content, 1, session):
            name = "".join(_text(content, key) for key in _inner(content, 1, entry))
            for value in _inner(content, 2, entry):
                scalars.update((name, scalar) for scalar in _scalars(content, value))
    return scalars


def _scalars(content: bytes, span: Span) -> Iterator[Scalar]:
    for number, wire, start, end in fields(content, *span):
        if number == 2 and wire == FIXED64:
            yield struct.unpack_from("<d", content, start)[0]
        elif number == 3 and wire == LENGTH:
            yield _text(content, (start, end))
        elif number == 4 and wire == VARINT:
            yield varint(content, start)[0] != 0
