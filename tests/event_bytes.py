"""Writes TensorBoard event files by hand: protobuf messages in TFRecord frames."""

import struct
from collections.abc import Iterable

from tests.protobuf_bytes import field, varint
from traindx.readers.binary.tfrecord import masked_crc32c


def framed(record: bytes) -> bytes:
    header = struct.pack("<Q", len(record))
    return (
        header + struct.pack("<I", masked_crc32c(header)) + record + struct.pack("<I", masked_crc32c(record))
    )


def event(step: int = 0, *, seconds: float = 1.7e9, values: Iterable[bytes] = (), rest: bytes = b"") -> bytes:
    """An Event; as protobuf does, it does not write a step of 0."""
    summary = b"".join(field(1, value) for value in values)
    return (
        b"\x09"
        + struct.pack("<d", seconds)
        + (b"\x10" + varint(step) if step else b"")
        + rest
        + (field(5, summary) if summary else b"")
    )


def simple(tag: str, number: float) -> bytes:
    """A value as PyTorch writes a scalar."""
    return field(1, tag.encode()) + b"\x15" + struct.pack("<f", number)


def tensor(
    tag: str, dtype: int, data: bytes, *, plugin: str = "scalars", shape: tuple[int, ...] = ()
) -> bytes:
    """A value as TensorFlow 2 writes it; data is the field that holds the elements."""
    dimensions = b"".join(field(2, b"\x08" + varint(size)) for size in shape)
    body = b"\x08" + varint(dtype) + field(2, dimensions) + data
    metadata = field(9, field(1, field(1, plugin.encode()))) if plugin else b""
    return field(1, tag.encode()) + field(8, body) + metadata


def event_file(events: Iterable[bytes]) -> bytes:
    version = event(rest=field(3, b"brain.Event:2"))
    return b"".join(framed(record) for record in (version, *events))
