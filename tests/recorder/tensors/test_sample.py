"""Samples are even, bounded, and the same for the same shape; positions are counted one by one."""

import math
import statistics
from itertools import pairwise
from math import prod

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from traindx.recorder.tensors.sample import (
    LIMIT,
    even_step,
    every,
    moments,
    nonfinite_share,
    norms,
    sample,
    step_through,
    table,
    thinned,
)

pytest.importorskip("torch")

SHAPES = st.lists(st.integers(1, 24), min_size=1, max_size=4).map(tuple)


def numbered(shape: tuple[int, ...]) -> Tensor:
    """A tensor of which each value tells its place."""
    return torch.arange(torch.Size(shape).numel(), dtype=torch.float64).reshape(shape)


@given(SHAPES, st.integers(1, 400))
def test_a_sample_is_spread_evenly_and_holds_no_value_twice(shape: tuple[int, ...], limit: int) -> None:
    whole = numbered(shape)
    places = sample(whole, limit).tolist()
    assert 1 <= len(places) <= limit
    if whole.numel() <= limit:
        assert places == whole.flatten().tolist()
        return
    steps = {second - first for first, second in pairwise(places)}
    assert len(steps) <= 1
    assert places[-1] < whole.numel()


@pytest.mark.parametrize("shape", [(64, 64), (128, 256), (32, 64, 8, 8), (16, 100, 96), (50_000, 16)])
def test_large_tensors_give_as_many_values_as_allowed_from_all_units(shape: tuple[int, ...]) -> None:
    places = sample(numbered(shape)).long()
    assert len(places) == LIMIT
    units = shape[-1]
    assert set((places % units).tolist()) == set(range(units))
    assert places[-1] >= 0.74 * torch.Size(shape).numel()


@pytest.mark.parametrize(
    "change",
    [
        lambda t: t.to(memory_format=torch.channels_last),
        lambda t: t.permute(3, 0, 2, 1),
        lambda t: t.expand(5, *t.shape),
        lambda t: t[:, ::2],
        lambda t: t[..., 3],
    ],
    ids=["channels last", "permuted", "expanded", "sliced", "selected"],
)
def test_any_layout_is_sampled_from_its_own_values(change: object) -> None:
    assert callable(change)
    values = change(numbered((6, 8, 12, 10)))
    taken = sample(values, 100)
    assert 50 <= len(taken) <= 100
    assert set(taken.tolist()) <= set(values.flatten().tolist())
    expanded = values.numel() > 5760
    assert expanded or len(set(taken.tolist())) == len(taken)


def test_a_tensor_without_gaps_is_not_copied() -> None:
    for values in (torch.randn(300, 40), torch.randn(300, 40).t(), torch.randn(300, 40)[10:]):
        assert sample(values).untyped_storage().data_ptr() == values.untyped_storage().data_ptr()


@given(SHAPES, st.integers(1, 30), st.integers(0, 40), st.booleans())
def test_every_counts_from_the_first(shape: tuple[int, ...], step: int, first: int, gaps: bool) -> None:
    whole = numbered((*shape, 2))[..., 0] if gaps else numbered(shape)
    assert every(whole, step, first).tolist() == whole.flatten().tolist()[first::step]


def test_the_step_has_no_divisor_in_common_with_any_tensor() -> None:
    assert even_step((64 * 64, 64, 10), 16_384) == 1
    assert even_step((300_000, 300), 16_384) == 19
    assert even_step((19 * 15_000, 300), 16_384) == 23


pytest.importorskip("torch")


def slowly(values: Tensor) -> float:
    return math.sqrt(math.fsum(value * value for value in values.flatten().tolist()))


def test_norms_are_those_of_plain_arithmetic_whatever_the_type() -> None:
    torch.manual_seed(0)
    values = [torch.randn(7, 5), torch.randn(4).double(), torch.randn(9, 9).half(), torch.randn(3).bfloat16()]
    values += [torch.randn(6, 4).t(), torch.tensor(2.5), torch.randn(5, 8)[:, ::2], torch.zeros(3)]
    assert norms(values) == pytest.approx([slowly(value) for value in values], rel=1e-5)


def test_half_precision_does_not_overflow() -> None:
    assert norms([torch.full((4,), 65_000.0).half()]) == pytest.approx([130_000], rel=1e-3)


def test_large_finite_values_have_a_finite_norm() -> None:
    assert norms([torch.full((4,), 1e30), torch.ones(4)]) == pytest.approx([2e30, 2.0])


def test_values_that_are_not_finite_show() -> None:
    bad, infinite = norms([torch.tensor([1.0, math.nan]), torch.tensor([1.0, -math.inf])])
    assert isinstance(bad, float)
    assert math.isnan(bad)
    assert infinite == math.inf


def test_of_nothing_there_is_none() -> None:
    assert norms([]) == []


TABLE_SHAPES = st.lists(st.integers(1, 40), min_size=1, max_size=4).map(tuple)


@given(st.integers(1, 10_000), st.integers(1, 300))
def test_a_step_is_odd_and_leaves_no_more_than_asked(count: int, most: int) -> None:
    step = step_through(count, most)
    assert step % 2 == 1
    assert len(range(0, count, step)) <= most
    assert count > most or step == 1


@given(TABLE_SHAPES, st.integers(1, 500))
def test_thinning_leaves_no_more_than_asked_and_all_that_fit(shape: tuple[int, ...], most: int) -> None:
    counts = [len(range(size)[slices]) for size, slices in zip(shape, thinned(shape, most), strict=True)]
    assert 1 <= prod(counts) <= most
    if prod(shape) <= most:
        assert counts == list(shape)


@given(TABLE_SHAPES, st.integers(1, 20), st.integers(1, 20))
def test_a_table_holds_values_of_its_rows(shape: tuple[int, ...], rows: int, columns: int) -> None:
    tensor = torch.arange(prod(shape)).reshape(shape)
    width = prod(shape[1:])
    taken = table(tensor, rows, columns)
    assert len(taken) <= rows
    assert taken.shape[1] <= columns
    for row in taken.tolist():
        assert {value // width for value in row} == {row[0] // width}
    # The same columns for a batch of any size.
    column = table(tensor[:1], rows, columns)
    assert torch.equal(column[0], taken[0])


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
    taken = moments(torch.tensor(rows, dtype=torch.float64))
    columns = [[value for value in column if math.isfinite(value)] for column in zip(*rows, strict=True)]
    values = [value for column in columns for value in column]
    if not values:
        assert taken is None
        return
    assert taken is not None
    assert (taken.low, taken.high) == (min(values), max(values))
    assert taken.mean == pytest.approx(statistics.fmean(values), abs=1e-9)
    if len(rows) == 1:
        assert taken.std is None
        return
    squares = sum(len(column) * statistics.pvariance(column) for column in columns if column)
    assert taken.std == pytest.approx(math.sqrt(squares / len(values)), abs=1e-9)
