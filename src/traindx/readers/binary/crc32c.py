"""CRC-32C (Castagnoli), the checksum of TFRecord files, without a compiled library.

A CRC is linear: every byte adds a share that depends only on its value and on how many bytes stand behind it,
and the shares are XORed together. So one table serves all bytes of a message at once, and the same byte of
thousands of messages at once: messages that differ in 15 bytes cost 15 lookups each.
"""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from traindx.readers.binary.protobuf import Buffer

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
    for place, byte in enumerate(register.to_bytes(4, "little")):
        moved ^= _chunk_rows()[place][byte]
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
