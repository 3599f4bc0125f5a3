"""Writes W&B records by hand: protobuf fields, and the LevelDB log around them."""

import struct
import zlib
from collections.abc import Iterable, Mapping

from tests.protobuf_bytes import field, varint

FILE_HEADER = b":W&B\xe1\xbe\x00"
_BLOCK = 32_768


def item(key: str, json: str, *, nested: bool = True) -> bytes:
    keys = b"".join(field(2, part.encode()) for part in key.split(".")) if nested else field(1, key.encode())
    return field(1, keys + field(16, json.encode()))


def step_of(number: int) -> bytes:
    return field(2, b"\x08" + varint(number) if number else b"")


def row(step: int, values: Mapping[str, str]) -> bytes:
    """A HistoryRecord as wandb writes it."""
    return b"".join(item(key, json) for key, json in values.items()) + step_of(step)


def history(step: int, values: Mapping[str, str]) -> bytes:
    return record(2, row(step, values))


def record(kind: int, body: bytes, number: int = 1) -> bytes:
    return b"\x08" + varint(number) + field(kind, body)


def log_of(records: Iterable[bytes]) -> bytes:
    """The file that holds some records."""
    out = bytearray(FILE_HEADER)
    for whole in records:
        rest, first = whole, True
        while rest or first:
            left = _BLOCK - len(out) % _BLOCK
            if left < 7:
                out += bytes(left)
                left = _BLOCK
            part, rest = rest[: left - 7], rest[left - 7 :]
            kind = (1 if first else 4) if not rest else (2 if first else 3)
            out += struct.pack("<IHB", zlib.crc32(part, zlib.crc32(bytes((kind,)))), len(part), kind) + part
            first = False
    return bytes(out)
