import numpy as np
import pytest

from traindx.readers.binary.tfrecord import crc32c, masked, masked_crc32c, shares

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
