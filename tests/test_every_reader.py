"""What all readers share is asserted here once; a reader's own test holds its sample and its numbers."""

import importlib
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from traindx.errors import UnreadableError
from traindx.readers import mlflow_database, trackio
from traindx.readers.loading import runs
from traindx.readers.loading.files import in_memory
from traindx.readers.types import Reader
from traindx.testing import check_reader


@pytest.mark.parametrize("reader", runs.readers(), ids=lambda reader: reader.slug)
def test_the_reader_conforms(reader: Reader) -> None:
    sample = importlib.import_module(f"tests.readers.test_{reader.slug}").SAMPLE
    check_reader(reader, sample)


@pytest.mark.parametrize("reader", [mlflow_database.READER, trackio.READER], ids=lambda reader: reader.slug)
@given(noise=st.binary(max_size=2000), at=st.integers(0, 2**20))
def test_noise_within_a_database(reader: Reader, noise: bytes, at: int) -> None:
    sample = importlib.import_module(f"tests.readers.test_{reader.slug}").SAMPLE
    at %= len(sample) + 1
    source = in_memory("x", sample[:at] + noise + sample[at + len(noise) :])
    assert reader.recognizes(source) in (0, 1)
    with suppress(UnreadableError):
        for log in reader.read(source):
            assert all(len(column.values) for column in log.columns)


@pytest.mark.parametrize("reader", runs.readers(), ids=lambda reader: reader.slug)
def test_the_reader_is_the_surest_of_its_own_sample(reader: Reader) -> None:
    sample = importlib.import_module(f"tests.readers.test_{reader.slug}").SAMPLE
    source = in_memory("sample", sample)
    assert max(runs.readers(), key=lambda other: other.recognizes(source)) is reader


def test_slugs_are_module_names() -> None:
    for reader in runs.readers():
        module = importlib.import_module(f"traindx.readers.{reader.slug}")
        assert reader is module.READER
        assert module.__doc__
