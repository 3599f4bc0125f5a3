"""What all readers share is asserted here once; a reader's own test holds its sample and its numbers."""

import importlib

import pytest

from traindx.readers.loading import runs
from traindx.readers.types import Reader
from traindx.testing import check_reader


@pytest.mark.parametrize("reader", runs.readers(), ids=lambda reader: reader.slug)
def test_the_reader_conforms(reader: Reader) -> None:
    sample = importlib.import_module(f"tests.readers.test_{reader.slug}").SAMPLE
    check_reader(reader, sample)


@pytest.mark.parametrize("reader", runs.readers(), ids=lambda reader: reader.slug)
def test_the_reader_is_the_surest_of_its_own_sample(reader: Reader) -> None:
    from traindx.readers.loading.files import in_memory

    sample = importlib.import_module(f"tests.readers.test_{reader.slug}").SAMPLE
    source = in_memory("sample", sample)
    assert max(runs.readers(), key=lambda other: other.recognizes(source)) is reader


def test_slugs_are_module_names() -> None:
    for reader in runs.readers():
        module = importlib.import_module(f"traindx.readers.{reader.slug}")
        assert reader is module.READER
        assert module.__doc__
