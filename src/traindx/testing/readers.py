"""What every reader must hold, checked on a sample of its format."""

import random

import numpy as np

from traindx.errors import UnreadableError
from traindx.readers.types import HEAD_BYTES, Column, Log, Reader, Source


def check_reader(reader: Reader, sample: bytes, path: str = "sample") -> None:
    """Raise AssertionError unless the reader reads its sample and survives what can happen to it."""
    assert reader.recognizes(_source(sample, path)) > 0, f"{reader.slug} does not recognize its own sample"
    logs = list(reader.read(_source(sample, path)))
    assert any(log.columns for log in logs), f"{reader.slug} finds no numbers in its sample"
    for log in logs:
        for column in log.columns:
            _check_column(column)
    _check_noise(reader)
    _check_cuts(reader, sample, path, logs)
    _check_damage(reader, sample, path)


def _source(data: bytes, path: str) -> Source:
    return Source(path, data[:HEAD_BYTES], data)


def _check_column(column: Column) -> None:
    assert column.values.dtype == np.float64, f"{column.name}: values are {column.values.dtype}"
    assert column.steps.dtype == np.float64, f"{column.name}: steps are {column.steps.dtype}"
    assert len(column.values) == len(column.steps) == len(column.rows), f"{column.name}: lengths differ"
    assert len(column.values), f"{column.name}: empty column"
    assert bool(np.all(column.rows[1:] >= column.rows[:-1])), f"{column.name}: rows are not in file order"


def _check_noise(reader: Reader) -> None:
    """Whatever a file holds, recognizing it is a number between 0 and 1."""
    noise = random.Random(0)
    for data in (b"\0" * 300, noise.randbytes(5000), b"\xff\xfe\x00", b"\n" * 50, "straße ☃ 1.5".encode()):
        sureness = reader.recognizes(_source(data, "noise"))
        assert 0 <= sureness <= 1, (
            f"{reader.slug}: recognizes() returns {sureness} for noise, expected 0 to 1"
        )


def _check_cuts(reader: Reader, sample: bytes, path: str, logs: list[Log]) -> None:
    """A file cut anywhere gives the numbers before the cut, or a clear refusal; it invents none."""
    whole = {(log.run, c.name, c.split, c.axis): c for log in logs for c in log.columns}
    for end in sorted({len(sample) * part // 40 for part in range(1, 40)}):
        for log in _read_or_refuse(reader, sample[:end], path):
            for column in log.columns:
                full = whole.get((log.run, column.name, column.split, column.axis))
                # The last number of a cut text may lack digits, so it is left out of the comparison.
                kept = column.values[:-1]
                if full is not None and len(kept) <= len(full.values):
                    same = np.array_equal(kept, full.values[: len(kept)], equal_nan=True)
                    assert same, f"{reader.slug}: {column.name} differs when the file is cut at byte {end}"


def _check_damage(reader: Reader, sample: bytes, path: str) -> None:
    """Damaged bytes give numbers or a clear refusal, never another exception."""
    dice = random.Random(1)
    for _ in range(40):
        damaged = bytearray(sample)
        for _ in range(dice.randint(1, 8)):
            damaged[dice.randrange(len(damaged))] = dice.randrange(256)
        _read_or_refuse(reader, bytes(damaged), path)


def _read_or_refuse(reader: Reader, data: bytes, path: str) -> list[Log]:
    try:
        return list(reader.read(_source(data, path)))
    except UnreadableError:
        return []
