import random
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.event_bytes import framed
from traindx.readers.binary import tfrecord
from traindx.readers.binary.tfrecord import (
    Block,
    Ending,
    blocks,
    crc32c,
    header_length,
    masked,
    masked_crc32c,
    shares,
)

# From RFC 3720, appendix B.4.
KNOWN = [
    (bytes(32), 0x8A9136AA),
    (b"\xff" * 32, 0x62A8AB43),
    (bytes(range(32)), 0x46DD794E),
    (bytes(range(31, -1, -1)), 0x113FDB5C),
    (b"123456789", 0xE3069283),
    (b"", 0),
]


def bit_by_bit(data: bytes) -> int:
    register = 0xFFFF_FFFF
    for byte in data:
        register ^= byte
        for _ in range(8):
            register = register >> 1 ^ (0x82F63B78 if register & 1 else 0)
    return register ^ 0xFFFF_FFFF


@pytest.mark.parametrize(("data", "crc"), KNOWN)
def test_published_values(data: bytes, crc: int) -> None:
    assert crc32c(data) == crc


@pytest.mark.parametrize("length", [1, 4, 32, 33, 35, 255, 256, 257, 511, 512, 1000, 70_000])
def test_any_length_agrees_with_the_definition(length: int) -> None:
    data = np.random.default_rng(length).bytes(length)
    assert crc32c(data) == bit_by_bit(data)
    assert crc32c(memoryview(data)) == crc32c(bytearray(data)) == crc32c(data)


def test_bytes_add_their_shares() -> None:
    changed = bytearray(bytes(100))
    changed[20], changed[99] = 7, 200
    table = shares(99)
    assert crc32c(changed) == crc32c(bytes(100)) ^ int(table[79][7]) ^ int(table[0][200])


def test_the_mask_of_tensorflow() -> None:
    # The header of a record of 24 bytes, as every event file starts.
    assert masked_crc32c((24).to_bytes(8, "little")) == 0x224B7FA3
    crcs = np.array([crc32c(data) for data, _ in KNOWN], np.uint32)
    assert masked(crcs).tolist() == [masked_crc32c(data) for data, _ in KNOWN]


def header_of(length: int) -> bytes:
    raw = struct.pack("<Q", length)
    return raw + struct.pack("<I", masked_crc32c(raw))


def pieces_of(data: bytes, size: int) -> list[bytes]:
    return [data[at : at + size] for at in range(0, len(data), size)]


def records_in(found: list[Block]) -> list[bytes]:
    return [
        block.data[start : start + length]
        for block in found
        for start, length in zip(block.starts.tolist(), block.lengths.tolist(), strict=True)
    ]


def of_lengths(lengths: list[int]) -> list[bytes]:
    return [bytes([i % 251]) * length for i, length in enumerate(lengths)]


ODD = random.Random(0)
RHYTHMS = {
    "one length": [20] * 6000,
    "seven tags": [20, 21, 22, 20, 20, 30, 19] * 900,
    "seven tags, then longer steps": [20, 21, 22, 20, 20, 30, 19] * 500 + [21, 22, 23, 21, 21, 31, 20] * 500,
    "an evaluation now and then": ([20, 21, 22] * 100 + [40, 41]) * 20,
    "no rhythm": [ODD.randrange(60) for _ in range(6000)],
    "an odd one now and then": [33 if ODD.random() < 0.01 else 20 for _ in range(6000)],
    "a long one in the middle": [20] * 2000 + [9000] + [20] * 2000,
    "empty records": [0] * 3000,
}


@pytest.mark.parametrize("rhythm", RHYTHMS)
@pytest.mark.parametrize("size", [977, 1 << 20])
def test_every_record_is_found_whatever_the_rhythm_of_lengths(rhythm: str, size: int) -> None:
    records = of_lengths(RHYTHMS[rhythm])
    data = b"".join(map(framed, records))
    parsed = list(blocks(pieces_of(data, size)))
    assert records_in(parsed) == records
    assert parsed[-1].ending is Ending.WHOLE
    assert [block.ending for block in parsed[:-1]] == [None] * (len(parsed) - 1)


def test_blocks_number_records_and_place_bytes() -> None:
    data = framed(b"abc") + framed(b"defgh")
    first, second, last = blocks([data[:25], data[25:]])
    assert (first.at, first.first, first.starts.tolist(), first.lengths.tolist()) == (0, 0, [12], [3])
    assert (second.at, second.first, second.starts.tolist()) == (19, 1, [12])
    assert (last.at, last.first) == (len(data), 2)


@pytest.mark.parametrize("cut", [1, 5, 15, 16, 18])
def test_a_torn_tail(cut: int) -> None:
    data = framed(b"abc") * 3
    parsed = list(blocks([data[:-cut]]))
    assert records_in(parsed) == [b"abc", b"abc"]
    assert (parsed[-1].ending, parsed[-1].at) == (Ending.TORN, 2 * len(framed(b"abc")))


def test_a_corrupt_length_ends_the_reading() -> None:
    records = of_lengths([20] * 3000)
    data = bytearray(b"".join(map(framed, records)))
    data[36 * 2500 + 1] ^= 1
    parsed = list(blocks([bytes(data)]))
    assert records_in(parsed) == records[:2500]
    assert (parsed[-1].ending, parsed[-1].at, parsed[-1].first) == (Ending.CORRUPT, 36 * 2500, 2500)


def test_a_wrong_checksum_of_a_length_that_was_seen_before() -> None:
    data = bytearray(framed(b"abc") * 2000)
    data[19 * 1500 + 9] ^= 4
    parsed = list(blocks([bytes(data)]))
    assert sum(len(block.starts) for block in parsed) == 1500
    assert parsed[-1].ending is Ending.CORRUPT


def test_a_record_too_long_to_hold_is_stepped_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tfrecord, "LONGEST", 1000)
    data = framed(b"abc") + framed(bytes(5000)) + framed(b"def")
    for size in (700, 1 << 20):
        parsed = list(blocks(pieces_of(data, size)))
        assert records_in(parsed) == [b"abc", b"def"]
        assert [(block.unread_bytes, block.first) for block in parsed if block.unread_bytes] == [(5000, 1)]
        assert [block.first for block in parsed if len(block.starts)] == [0, 2]
        assert parsed[-1].ending is Ending.WHOLE


def test_a_length_beyond_all_memory_is_a_torn_file() -> None:
    parsed = list(blocks([framed(b"abc") + header_of(1 << 60) + b"tail"]))
    assert records_in(parsed) == [b"abc"]
    assert [block.unread_bytes for block in parsed if block.unread_bytes] == [1 << 60]
    assert parsed[-1].ending is Ending.TORN


def test_nothing_at_all_is_whole() -> None:
    (only,) = blocks([])
    assert (only.ending, len(only.starts)) == (Ending.WHOLE, 0)


def test_header_length() -> None:
    assert header_length(header_of(24)) == 24
    assert header_length(header_of(24)[:11]) is None
    assert header_length(bytes(12)) is None


@given(st.binary(max_size=300), st.integers(1, 64))
def test_any_bytes_come_to_an_end(data: bytes, size: int) -> None:
    parsed = list(blocks(pieces_of(framed(b"abc") + data, size)))
    assert records_in(parsed)[:1] == [b"abc"]
    assert parsed[-1].ending is not None
