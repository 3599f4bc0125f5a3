"""Rows are known again by their values, wherever they stand, and by nothing else."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from traindx.recorder.tensors.row_keys import row_keys


def random(*shape: int) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(5))


FLOATS = st.lists(st.lists(st.integers(0, 2), min_size=5, max_size=5), min_size=2, max_size=30)


@given(FLOATS, st.sampled_from([torch.float32, torch.float64, torch.float16, torch.int64, torch.uint8]))
def test_keys_are_equal_where_rows_are(rows: list[list[int]], dtype: "torch.dtype") -> None:
    varied = [row for row in rows if len(set(row)) > 1]
    keys = row_keys([torch.tensor(rows).to(dtype)])
    assert len(keys) == len(varied)
    by_row: dict[tuple[int, ...], set[int]] = {}
    for row, key in zip(varied, keys, strict=True):
        by_row.setdefault(tuple(row), set()).add(key)
    assert all(len(found) == 1 for found in by_row.values())
    assert len({key for found in by_row.values() for key in found}) == len(by_row)


def test_a_hundred_thousand_rows_hardly_share_a_key() -> None:
    keys = {key for part in random(100_000, 20).split(250) for key in row_keys([part])}
    assert len(keys) > 99_990


def test_one_hot_rows_differ() -> None:
    rows = torch.eye(64)
    assert len(set(row_keys([rows]))) == 64


@pytest.mark.parametrize("shape", [(3, 32, 32), (7,), (500,), (12, 9)])
def test_the_place_in_the_batch_does_not_matter(shape: tuple[int, ...]) -> None:
    rows = random(40, *shape)
    keys = row_keys([rows])
    assert len(set(keys)) == 40
    assert row_keys([rows.flip(0)]) == keys[::-1]
    assert row_keys([rows[7:11]]) == keys[7:11]
    assert row_keys([rows.double()]) == keys


def test_a_sentence_is_known_however_far_it_is_padded() -> None:
    sentences = torch.tensor([[5, 9, 2, 0, 0], [7, 7, 8, 1, 0]])
    mask = (sentences > 0).long()
    longer = torch.cat((sentences, torch.zeros(2, 30, dtype=torch.int64)), 1)
    longer_mask = torch.cat((mask, torch.zeros(2, 30, dtype=torch.int64)), 1)
    assert row_keys([longer, longer_mask]) == row_keys([sentences, mask])


def test_labels_make_no_difference() -> None:
    rows = random(8, 4)
    assert row_keys([rows, torch.arange(8)]) == row_keys([rows])


def test_a_second_tensor_of_as_many_rows_does() -> None:
    rows = random(8, 4)
    assert set(row_keys([rows, rows + 1])).isdisjoint(row_keys([rows]))
    assert row_keys([rows, random(9, 4)]) == row_keys([rows])


def test_single_numbers_are_rows_where_there_is_nothing_wider() -> None:
    users, items = torch.tensor([1, 1, 2]), torch.tensor([4, 5, 4])
    assert len(set(row_keys([users, items]))) == 3
    assert len(set(row_keys([users]))) == 2
