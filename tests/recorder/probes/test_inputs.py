"""The statistics of inputs against plain arithmetic, one value after the other."""

import math
import statistics

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests.recorder.probes.looking import VALIDATION, seen
from traindx.quantities import (
    INPUT_CONSTANT_SHARE,
    INPUT_MAX,
    INPUT_MEAN,
    INPUT_MIN,
    INPUT_NONFINITE_SHARE,
    INPUT_OUTLIER_SHARE,
    INPUT_SCALE_SPREAD,
    INPUT_STD,
)
from traindx.recorder.probes.inputs import Inputs
from traindx.run import Quantity

REST = frozenset((INPUT_OUTLIER_SHARE,))
VALUES = st.floats(-1e6, 1e6, width=32) | st.sampled_from([0.0, 1.0, 2.0, math.nan, math.inf, -math.inf])


def slowly(columns: list[list[float]]) -> dict[Quantity, float]:
    """What is said about features; a value that is not finite counts as the mean of its feature."""
    everything = [value for column in columns for value in column]
    bad = [value for value in everything if not math.isfinite(value)]
    found = {INPUT_NONFINITE_SHARE: len(bad) / len(everything)}
    filled = []
    for column in columns:
        good = [value for value in column if math.isfinite(value)]
        if good:
            mean = statistics.fmean(good)
            filled.append([value if math.isfinite(value) else mean for value in column])
    if not filled:
        return found
    values = [value for column in filled for value in column]
    found |= {INPUT_MIN: min(values), INPUT_MAX: max(values)}
    found |= {INPUT_MEAN: statistics.fmean(values), INPUT_STD: statistics.pstdev(values)}
    if len(columns[0]) > 1:
        varying = [statistics.pstdev(column) for column in filled if max(column) > min(column)]
        found[INPUT_CONSTANT_SHARE] = 1 - len(varying) / len(filled)
        if len(varying) > 1:
            found[INPUT_SCALE_SPREAD] = max(varying) / statistics.median_low(varying)
    return found


def is_mask(columns: list[list[float]]) -> bool:
    values = {value for column in columns for value in column}
    return -math.inf in values and len(values - {-math.inf}) == 1 and not any(map(math.isnan, values))


@given(st.integers(1, 6).flatmap(lambda n: st.lists(st.lists(VALUES, min_size=n, max_size=n), min_size=1)))
def test_a_table_is_described_as_by_hand(rows: list[list[float]]) -> None:
    columns = [list(column) for column in zip(*rows[:64], strict=True)]
    found = seen(Inputs(), torch.tensor(rows[:64]))
    if is_mask(columns):
        assert not found
        return
    expected = slowly(columns)
    assert set(found) - REST == set(expected)
    for quantity, value in expected.items():
        assert found[quantity] == pytest.approx(value, rel=1e-6, abs=1e-9), quantity.slug


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_every_float_type_is_described(dtype: "torch.dtype") -> None:
    rows = (torch.randn(20, 5, generator=torch.Generator().manual_seed(1)) * 3).to(dtype)
    expected = slowly(rows.t().double().tolist())
    found = seen(Inputs(), rows)
    assert {quantity: found[quantity] for quantity in expected} == pytest.approx(expected)


def test_features_are_channels_of_images_and_the_last_dimension_of_sequences() -> None:
    scales = torch.tensor([1.0, 10.0, 1000.0])
    noise = torch.randn(4, 6, 5, 3, generator=torch.Generator().manual_seed(1)) * scales
    expected = slowly(noise.reshape(-1, 3).t().double().tolist())
    for image in (noise.permute(0, 3, 1, 2), noise.permute(0, 3, 1, 2).contiguous(), noise):
        assert seen(Inputs(), image)[INPUT_SCALE_SPREAD] == pytest.approx(expected[INPUT_SCALE_SPREAD])
    sequence = noise[:, :, 0]
    by_hand = slowly(sequence.reshape(-1, 3).t().double().tolist())
    assert seen(Inputs(), sequence)[INPUT_SCALE_SPREAD] == pytest.approx(by_hand[INPUT_SCALE_SPREAD])


def test_a_large_batch_is_sampled_evenly() -> None:
    images = torch.randn(32, 3, 64, 64, generator=torch.Generator().manual_seed(1)) * 2 + 1
    found = seen(Inputs(), images)
    assert found[INPUT_MEAN] == pytest.approx(1.0, abs=0.3)
    assert found[INPUT_STD] == pytest.approx(2.0, rel=0.15)
    assert found[INPUT_SCALE_SPREAD] < 1.3


def test_one_value_that_is_not_finite_is_counted_wherever_it_is() -> None:
    rows = torch.zeros(300, 700)
    rows[123, 457] = torch.nan
    assert seen(Inputs(), rows)[INPUT_NONFINITE_SHARE] == pytest.approx(1 / 210_000)


def test_the_sum_of_finite_values_may_overflow() -> None:
    found = seen(Inputs(), torch.full((20, 3), 3e38) * torch.tensor([1.0, 0.9, 0.8]))
    assert found[INPUT_NONFINITE_SHARE] == 0.0
    assert found[INPUT_CONSTANT_SHARE] == 1.0


def test_tokens_have_a_range_only() -> None:
    assert seen(Inputs(), torch.tensor([[5, 3], [0, 7]])) == {INPUT_MIN: 0.0, INPUT_MAX: 7.0}


def test_the_mask_beside_tokens_is_no_input() -> None:
    tokens = torch.tensor([[5, 3], [0, 7]])
    mask = torch.full((2, 2), -torch.inf).triu(1)
    assert seen(Inputs(), tokens, mask) == {INPUT_MIN: 0.0, INPUT_MAX: 7.0}
    assert seen(Inputs(), mask, torch.ones(4, 2))[INPUT_MEAN] == 1.0


def test_validation_is_written_apart() -> None:
    assert seen(Inputs(), torch.ones(4, 2), purpose=VALIDATION)[INPUT_MEAN] == 1.0
