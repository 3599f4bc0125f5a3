"""Samples are even, bounded, and the same for the same shape."""

import math
import statistics
from math import prod

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from traindx.recorder.tensors.sample import moments, nonfinite_share, step_through, table, thinned

SHAPES = st.lists(st.integers(1, 40), min_size=1, max_size=4).map(tuple)


@given(st.integers(1, 10_000), st.integers(1, 300))
def test_a_step_is_odd_and_leaves_no_more_than_asked(count: int, most: int) -> None:
    step = step_through(count, most)
    assert step % 2 == 1
    assert len(range(0, count, step)) <= most
    assert count > most or step == 1


@given(SHAPES, st.integers(1, 500))
def test_thinning_leaves_no_more_than_asked_and_all_that_fit(shape: tuple[int, ...], most: int) -> None:
    counts = [len(range(size)[slices]) for size, slices in zip(shape, thinned(shape, most), strict=True)]
    assert 1 <= prod(counts) <= most
    if prod(shape) <= most:
        assert counts == list(shape)


@given(SHAPES, st.integers(1, 20), st.integers(1, 20))
def test_a_table_holds_values_of_its_rows(shape: tuple[int, ...], rows: int, columns: int) -> None:
    tensor = torch.arange(prod(shape)).reshape(shape)
    width = prod(shape[1:])
    found = table(tensor, rows, columns)
    assert len(found) <= rows
    assert found.shape[1] <= columns
    for row in found.tolist():
        assert {value // width for value in row} == {row[0] // width}
    # The same columns for a batch of any size.
    one = table(tensor[:1], rows, columns)
    assert torch.equal(one[0], found[0])


@pytest.mark.parametrize("size", [10, 1 << 18])
def test_the_share_is_exact_up_to_a_moderate_size(size: int) -> None:
    values = torch.zeros(size)
    values[size // 2], values[3] = torch.inf, -torch.inf
    assert nonfinite_share(values, values[:1]) == pytest.approx(2 / size)


def test_the_sample_speaks_for_what_is_large() -> None:
    values = torch.zeros((1 << 18) + 1)
    values[-1] = torch.nan
    assert nonfinite_share(values, values[:8]) == 0.0
    assert nonfinite_share(values, values[-2:]) == 0.5


VALUES = st.floats(-1e3, 1e3) | st.sampled_from([math.nan, math.inf, 1.0])
TABLES = st.integers(1, 4).flatmap(
    lambda n: st.lists(st.lists(VALUES, min_size=n, max_size=n), min_size=1, max_size=12)
)


@given(TABLES)
def test_moments_are_those_of_the_finite_values(rows: list[list[float]]) -> None:
    found = moments(torch.tensor(rows, dtype=torch.float64))
    columns = [[value for value in column if math.isfinite(value)] for column in zip(*rows, strict=True)]
    values = [value for column in columns for value in column]
    if not values:
        assert found is None
        return
    assert found is not None
    assert (found.low, found.high) == (min(values), max(values))
    assert found.mean == pytest.approx(statistics.fmean(values), abs=1e-9)
    if len(rows) == 1:
        assert found.std is None
        return
    squares = sum(len(column) * statistics.pvariance(column) for column in columns if column)
    assert found.std == pytest.approx(math.sqrt(squares / len(values)), abs=1e-9)
