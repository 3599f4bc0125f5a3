"""TFRecord framing: where the records of a file lie, block by block, with every length's checksum verified.

The checksum is CRC-32C (Castagnoli), without a compiled library.
A CRC is linear: every byte adds a share that depends only on its value and on how many bytes stand behind it,
and the shares are XORed together. So one table serves all bytes of a message at once, and the same byte of
thousands of messages at once: messages that differ in 15 bytes cost 15 lookups each.

A record:

    18 00 00 00 00 00 00 00   length of the data, 8 bytes
    a3 7f 4b 22               masked CRC-32C of those 8 bytes
    09 00 00 80 ...           the data
    5c 1d 09 e1               masked CRC-32C of the data: left to the caller, who knows what the data is

The next record is found only through the length of this one, which makes for a slow loop. But writers repeat
themselves: the same tags, step after step. So the loop runs until the lengths repeat, and then thousands of
records are guessed from the repetition and verified at once.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from traindx.readers.binary.protobuf import Buffer
from traindx.run import Rows

Words = NDArray[np.uint32]

_POLYNOMIAL = 0x82F63B78
_ONES = 0xFFFF_FFFF
_CHUNK = 256
"""Longer messages are cut into pieces of so many bytes, to keep the table small."""
_SLAB = 256 * _CHUNK
"""So many bytes are looked up at once, to keep the memory small."""
_SHORT = 32
"""Up to so many bytes a plain loop is faster than numpy."""


def crc32c(data: Buffer) -> int:
    """Return the CRC-32C of a message."""
    if len(data) <= _SHORT:
        return _following(_ONES, bytes(data)) ^ _ONES
    # The register starts as all ones: the same as starting as zero with the first four bytes flipped.
    message = np.frombuffer(data, np.uint8).copy()
    message[:4] ^= 0xFF
    table, places = shares(_CHUNK - 1).ravel(), _places()
    head = len(message) % _CHUNK
    register = int(np.bitwise_xor.reduce(table.take(message[:head] + places[_CHUNK - head :])))
    for start in range(head, len(message), _SLAB):
        chunks = message[start : start + _SLAB].reshape(-1, _CHUNK)
        for chunk in np.bitwise_xor.reduce(table.take(chunks + places), axis=1).tolist():
            register = _after_chunk(register) ^ chunk
    return register ^ _ONES


def shares(longest: int) -> Words:
    """What a byte adds to the CRC: a row for each number of bytes behind it, a column for each value."""
    return _shares(1 << longest.bit_length())


def masked(crc: Words) -> Words:
    """Turn CRCs into the form in which TFRecord files store them."""
    return ((crc >> np.uint32(15)) | (crc << np.uint32(17))) + np.uint32(0xA282EAD8)


def masked_crc32c(data: Buffer) -> int:
    """Return the CRC-32C of a message in the form in which TFRecord files store it."""
    crc = crc32c(data)
    return (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & _ONES


def _following(register: int, data: bytes) -> int:
    table = _first_row()
    for byte in data:
        register = register >> 8 ^ table[(register ^ byte) & 255]
    return register


def _after_chunk(register: int) -> int:
    """The register after a chunk of zeros: its own four bytes count as the first ones of the chunk."""
    moved = 0
    for index, byte in enumerate(register.to_bytes(4, "little")):
        moved ^= _chunk_rows()[index][byte]
    return moved


@lru_cache(maxsize=1)
def _places() -> NDArray[np.intp]:
    """Where in the flat table the row of each byte of a chunk starts."""
    return np.arange(_CHUNK - 1, -1, -1, dtype=np.intp) * 256


@lru_cache(maxsize=1)
def _first_row() -> list[int]:
    row: list[int] = shares(0)[0].tolist()
    return row


@lru_cache(maxsize=1)
def _chunk_rows() -> list[list[int]]:
    rows: list[list[int]] = shares(_CHUNK - 1)[_CHUNK - 1 : _CHUNK - 5 : -1].tolist()
    return rows


@lru_cache(maxsize=16)
def _shares(size: int) -> Words:
    """The table for a power of two of rows, made from the one of half the size."""
    if size == 1:
        row = np.arange(256, dtype=np.uint32)
        for _ in range(8):
            row = row >> np.uint32(1) ^ (row & np.uint32(1)) * np.uint32(_POLYNOMIAL)
        return row[None, :]
    near = _shares(size // 2)
    first, row, far = near[0], near[-1], []
    for _ in range(size // 2):
        row = row >> np.uint32(8) ^ first[row & np.uint32(255)]
        far.append(row)
    return np.concatenate([near, np.stack(far)])


HEADER_BYTES = 12
_FRAME_BYTES = 16
"""What a record occupies beside its data."""
LONGEST = 1 << 24
"""Longer records are stepped over unread: no curve is in them, and memory must stay small."""

Headers = NDArray[np.void]

_CRC_BYTES = 4
_HEADER = np.dtype([("length", "<u8"), ("crc", "<u4")])
_REMEMBERED = 4096
_CONTEXTS = (256, 16)
_SHORTEST_WALK, _LONGEST_WALK = 16, 4096
_SHORTEST_LEAP, _LONGEST_LEAP = 1024, 1 << 17


class Ending(Enum):
    """Why nothing follows."""

    WHOLE = "whole"
    TORN = "torn"
    """The file ends within a record."""
    CORRUPT = "corrupt"
    """A length fails its checksum, so the place of the next record is not known."""


@dataclass(frozen=True, eq=False)
class Block:
    """The whole records in one piece of a file."""

    data: bytes
    at: int
    """Where in the file the piece starts, in bytes."""
    first: int
    """The number of the first record."""
    starts: Rows
    """Where in the piece the data of each record starts."""
    lengths: Rows
    unread_bytes: int = 0
    """The length of the one record of this block, where it is too long to be held."""
    ending: Ending | None = None
    """Set on the last block."""


@dataclass
class _Memory:
    """What the records so far tell about the next ones."""

    lengths: dict[bytes, int] = field(default_factory=dict)
    """Every header whose checksum was right."""
    recent: bytes = b""
    walk: int = _SHORTEST_WALK
    leap: int = _SHORTEST_LEAP


def header_length(header: bytes) -> int | None:
    """The length a header states, or None if its checksum is wrong or it is cut off."""
    if len(header) < HEADER_BYTES or masked_crc32c(header[:8]) != int.from_bytes(header[8:12], "little"):
        return None
    return int.from_bytes(header[:8], "little")


def blocks(pieces: Iterable[bytes]) -> Iterator[Block]:
    """Find the whole records of a file that comes in pieces; the last block says how the file ends."""
    memory = _Memory()
    rest, at, first, skip = b"", 0, 0, 0
    for piece in pieces:
        data, skipped = rest + piece[skip:], min(skip, len(piece))
        at, skip = at + skipped, skip - skipped
        while True:
            starts, lengths = _locate(data, memory)
            yield Block(data, at, first, starts, lengths)
            end = int(starts[-1] + lengths[-1]) + _CRC_BYTES if len(starts) else 0
            rest, at, first = data[end:], at + end, first + len(starts)
            if len(rest) < HEADER_BYTES:
                break
            length = header_length(rest[:HEADER_BYTES])
            if length is None:
                yield _last(at, first, Ending.CORRUPT)
                return
            if length <= LONGEST:
                break
            yield Block(b"", at, first, *_nowhere(), unread_bytes=length)
            over = min(length + _FRAME_BYTES, len(rest))
            data, skip, at, first = rest[over:], length + _FRAME_BYTES - over, at + over, first + 1
    yield _last(at, first, Ending.TORN if rest or skip else Ending.WHOLE)


def _last(at: int, first: int, ending: Ending) -> Block:
    return Block(b"", at, first, *_nowhere(), ending=ending)


def _nowhere() -> tuple[Rows, Rows]:
    return np.empty(0, np.int64), np.empty(0, np.int64)


def _locate(data: bytes, memory: _Memory) -> tuple[Rows, Rows]:
    """Where the data of each whole record starts, and its length, up to the first that is torn or corrupt."""
    located: list[Headers] = [np.empty(0, _HEADER)]
    at, more = 0, True
    while more:
        headers, at, more = _walk(data, at, memory)
        while len(headers):
            located.append(headers)
            memory.recent = (memory.recent + headers[-_REMEMBERED:].tobytes())[-_REMEMBERED * HEADER_BYTES :]
            period = _period(memory.recent) if more else 0
            headers, at = _leap(data, at, memory, period) if period else (headers[:0], at)
    lengths = np.concatenate([headers["length"].astype(np.int64) for headers in located])
    return np.cumsum(lengths + _FRAME_BYTES) - lengths - _CRC_BYTES, lengths


def _walk(data: bytes, at: int, memory: _Memory) -> tuple[Headers, int, bool]:
    """Step from record to record; return the headers, the place reached, and whether more may follow."""
    known, size = memory.lengths, len(data)
    headers: list[bytes] = []
    more = False
    for _ in range(memory.walk):
        header = data[at : at + HEADER_BYTES]
        length = known.get(header)
        if length is None:
            length = header_length(header)
            if length is None or length > LONGEST:
                break
            known[header] = length
        following = at + length + _FRAME_BYTES
        if following > size:
            break
        headers.append(header)
        at = following
    else:
        more = True
        memory.walk = min(memory.walk * 2, _LONGEST_WALK)
    return np.frombuffer(b"".join(headers), _HEADER), at, more


def _period(recent: bytes) -> int:
    """How many bytes of headers ago the headers ran as they do now; 0 if that is not remembered."""
    for context in _CONTEXTS:
        tail = recent[-context * HEADER_BYTES :]
        back = len(recent) - len(tail) - recent.rfind(tail, 0, len(recent) - 1)
        if back <= len(recent) - len(tail) and back % HEADER_BYTES == 0:
            return back
    return 0


def _leap(data: bytes, at: int, memory: _Memory, period: int) -> tuple[Headers, int]:
    """Guess that the headers go on as they did a period ago; return those that do, and the place reached."""
    times = -(-memory.leap * HEADER_BYTES // period)
    guess = np.frombuffer(memory.recent[-period:] * times, _HEADER)[: memory.leap]
    sizes = guess["length"].astype(np.int64) + _FRAME_BYTES
    ends = at + np.cumsum(sizes)
    inside = int(np.searchsorted(ends, len(data), side="right"))
    places = ends[:inside] - sizes[:inside]
    everywhere: Headers = np.ndarray((max(len(data) - HEADER_BYTES + 1, 0),), "V12", data, strides=(1,))
    same = everywhere[places].view("<u4") == guess[:inside].view("<u4")
    right = inside if bool(same.all()) else int(np.argmin(same)) // 3
    if right == memory.leap:
        memory.leap = min(memory.leap * 4, _LONGEST_LEAP)
    elif right < inside:
        memory.leap = _SHORTEST_LEAP
    # A walk is cheaper than a guess that soon fails.
    if right >= _SHORTEST_LEAP:
        memory.walk = _SHORTEST_WALK
    return guess[:right], int(ends[right - 1]) if right else at
