"""Records of a LevelDB log, the framing that W&B writes its runs in.

    crc32 of type and data (4 bytes) | length (2 bytes) | type (1 byte) | data

Records lie in blocks of 32 KiB counted from the start of the file. One that does not fit into its block is
split into a FIRST, any number of MIDDLE and a LAST part; fewer than 7 bytes left in a block are padding. A
length cannot be trusted once its checksum fails, but the next block starts with a record again.
"""

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

BLOCK_BYTES = 32_768

_HEADER = struct.Struct("<IHB")
_HEADER_BYTES = _HEADER.size
_FULL, _FIRST, _MIDDLE, _LAST = 1, 2, 3, 4
_CRC_OF_TYPE = tuple(zlib.crc32(bytes((kind,))) for kind in range(256))


@dataclass(frozen=True)
class Damage:
    """A place at which records could not be read."""

    offset: int
    what: str
    at_end: bool
    """Nothing follows: the writer is alive or was killed, rather than the file damaged."""


def records(stream: BinaryIO, damage: list[Damage], *, start: int) -> Iterator[bytes]:
    """Yield the whole records after a file header of `start` bytes; append to `damage` what was skipped."""
    parts: list[bytes] = []
    offset = 0
    torn: tuple[int, str] | None = None
    crc_of, unpack = zlib.crc32, _HEADER.unpack_from
    while block := stream.read(BLOCK_BYTES):
        if torn:
            damage.append(Damage(*torn, at_end=False))
            torn = None
            parts = []
        at, end = 0 if offset else start, len(block)
        while end - at >= _HEADER_BYTES:
            crc, size, kind = unpack(block, at)
            stop = at + _HEADER_BYTES + size
            data = block[at + _HEADER_BYTES : stop]
            if stop > end or crc_of(data, _CRC_OF_TYPE[kind]) != crc:
                torn = (offset + at, "is cut off" if stop > end else "does not match its checksum")
                break
            at = stop
            if kind == _FULL:
                yield data
            elif kind == _FIRST:
                parts = [data]
            elif parts:  # else the rest of a record whose start was skipped
                parts.append(data)
                if kind == _LAST:
                    yield b"".join(parts)
                    parts = []
        else:
            if end < BLOCK_BYTES and at < end:
                torn = (offset + at, "is cut off")
        offset += end
    if parts and not torn:
        torn = (offset, "is cut off")
    if torn:
        damage.append(Damage(*torn, at_end=True))
