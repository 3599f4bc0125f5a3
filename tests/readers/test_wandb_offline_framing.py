import io
import random

import pytest

from tests.wandb_bytes import FILE_HEADER, log_of
from traindx.readers.wandb_offline import BLOCK_BYTES, Damage, records


def read(data: bytes) -> tuple[list[bytes], list[Damage]]:
    damage: list[Damage] = []
    return list(records(io.BytesIO(data), damage, start=len(FILE_HEADER))), damage


@pytest.mark.parametrize(
    "size", [0, 1, 100, BLOCK_BYTES - 20, BLOCK_BYTES - 14, BLOCK_BYTES - 13, 3 * BLOCK_BYTES]
)
def test_records_of_any_size_come_back(size: int) -> None:
    dice = random.Random(size)
    wanted = [dice.randbytes(size), b"between", dice.randbytes(size), b"last"]
    assert read(log_of(wanted)) == (wanted, [])


@pytest.mark.parametrize("left", range(20))
def test_a_block_may_end_in_padding(left: int) -> None:
    wanted = [bytes(BLOCK_BYTES - len(FILE_HEADER) - 7 - left), b"the next record"]
    assert read(log_of(wanted)) == (wanted, [])


def test_a_record_whose_end_is_missing_is_torn() -> None:
    data = log_of([b"one", bytes(2 * BLOCK_BYTES)])
    framed, (damage,) = read(data[:BLOCK_BYTES])
    assert framed == [b"one"]
    assert damage == Damage(BLOCK_BYTES, "is cut off", at_end=True)


def test_after_damage_it_goes_on_at_the_next_block() -> None:
    data = bytearray(log_of([b"one", bytes(2 * BLOCK_BYTES), b"two", b"three"]))
    data[BLOCK_BYTES + 100] ^= 1  # within the middle part of the long record
    framed, (damage,) = read(bytes(data))
    assert framed == [b"one", b"two", b"three"]
    assert damage == Damage(BLOCK_BYTES, "does not match its checksum", at_end=False)
