"""Outliers: those planted are found, the tails that data have are not."""

import math
import statistics
from collections.abc import Callable

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from tests.recorder.probes.sampling import VALIDATION, seen
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
from traindx.recorder.probes.inputs import Inputs, outliers
from traindx.run import Quantity

CHANCE = torch.Generator().manual_seed(3)


def normal(*shape: int) -> Tensor:
    return torch.randn(*shape, generator=CHANCE, dtype=torch.float64)


def uniform(*shape: int) -> Tensor:
    return torch.rand(*shape, generator=CHANCE, dtype=torch.float64)


HEALTHY: dict[str, tuple[Callable[[], Tensor], float]] = {
    "normal": (lambda: normal(400, 64), 0.0),
    "uniform": (lambda: uniform(400, 64), 0.0),
    "rare counts": (lambda: torch.poisson(torch.full((400, 64), 0.3), generator=CHANCE), 0.0),
    "counts": (lambda: torch.poisson(torch.full((400, 64), 5.0), generator=CHANCE), 0.0),
    "rare switches": (lambda: 1.0 * (uniform(400, 64) < 0.02), 0.0),
    "waiting times": (lambda: -uniform(400, 64).log(), 1e-4),
    "amounts": (lambda: normal(400, 64).exp(), 1e-3),
    "incomes": (lambda: normal(400, 64).exp() ** 2, 4e-3),
}


def share(features: Tensor) -> float:
    return outliers(features.double(), list(range(8))) / int(features[:8].numel())


@pytest.mark.parametrize("name", HEALTHY)
def test_tails_that_data_have_are_no_outliers(name: str) -> None:
    make, most = HEALTHY[name]
    features = make()
    mean_share = sum(share(features[first : first + 8]) for first in range(0, 400, 8)) / 50
    assert mean_share <= most


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_planted_values_are_counted_on_any_scale(scale: float) -> None:
    features = normal(8, 64)
    features[2, 5], features[7, 60], features[7, 61] = 100.0, -50.0, 1e4
    assert outliers(features * scale + 3 * scale, list(range(8))) == 3


def test_only_suspects_are_searched() -> None:
    features = normal(16, 64)
    features[2, 5] = 100.0
    assert outliers(features, [2]) == 1
    assert outliers(features, [3, 4]) == 0
    assert outliers(features, []) == 0


def test_of_many_suspects_an_even_choice_stands_for_all() -> None:
    features = normal(64, 64)
    features[:, 5] = 100.0
    assert outliers(features, list(range(64))) == 64


REST = frozenset((INPUT_OUTLIER_SHARE,))
VALUES = st.floats(-1e6, 1e6, width=32) | st.sampled_from([0.0, 1.0, 2.0, math.nan, math.inf, -math.inf])


def slowly(columns: list[list[float]]) -> dict[Quantity, float]:
    """What is said about features; a value that is not finite counts as the mean of its feature."""
    everything = [value for column in columns for value in column]
    bad = [value for value in everything if not math.isfinite(value)]
    expected = {INPUT_NONFINITE_SHARE: len(bad) / len(everything)}
    filled = []
    for column in columns:
        good = [value for value in column if math.isfinite(value)]
        if good:
            mean = statistics.fmean(good)
            filled.append([value if math.isfinite(value) else mean for value in column])
    if not filled:
        return expected
    values = [value for column in filled for value in column]
    expected |= {INPUT_MIN: min(values), INPUT_MAX: max(values)}
    expected |= {INPUT_MEAN: statistics.fmean(values), INPUT_STD: statistics.pstdev(values)}
    if len(columns[0]) > 1:
        varying = [statistics.pstdev(column) for column in filled if max(column) > min(column)]
        expected[INPUT_CONSTANT_SHARE] = 1 - len(varying) / len(filled)
        if len(varying) > 1:
            expected[INPUT_SCALE_SPREAD] = max(varying) / statistics.median_low(varying)
    return expected


def is_mask(columns: list[list[float]]) -> bool:
    values = {value for column in columns for value in column}
    return -math.inf in values and len(values - {-math.inf}) == 1 and not any(map(math.isnan, values))


@given(st.integers(1, 6).flatmap(lambda n: st.lists(st.lists(VALUES, min_size=n, max_size=n), min_size=1)))
def test_a_table_is_described_as_by_hand(rows: list[list[float]]) -> None:
    columns = [list(column) for column in zip(*rows[:64], strict=True)]
    values = seen(Inputs(), torch.tensor(rows[:64]))
    if is_mask(columns):
        assert not values
        return
    expected = slowly(columns)
    assert set(values) - REST == set(expected)
    for quantity, value in expected.items():
        assert values[quantity] == pytest.approx(value, rel=1e-6, abs=1e-9), quantity.slug


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_every_float_type_is_described(dtype: "torch.dtype") -> None:
    rows = (torch.randn(20, 5, generator=torch.Generator().manual_seed(1)) * 3).to(dtype)
    expected = slowly(rows.t().double().tolist())
    values = seen(Inputs(), rows)
    assert {quantity: values[quantity] for quantity in expected} == pytest.approx(expected)


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
    values = seen(Inputs(), images)
    assert values[INPUT_MEAN] == pytest.approx(1.0, abs=0.3)
    assert values[INPUT_STD] == pytest.approx(2.0, rel=0.15)
    assert values[INPUT_SCALE_SPREAD] < 1.3


def test_one_value_that_is_not_finite_is_counted_wherever_it_is() -> None:
    rows = torch.zeros(300, 700)
    rows[123, 457] = torch.nan
    assert seen(Inputs(), rows)[INPUT_NONFINITE_SHARE] == pytest.approx(1 / 210_000)


def test_the_sum_of_finite_values_may_overflow() -> None:
    values = seen(Inputs(), torch.full((20, 3), 3e38) * torch.tensor([1.0, 0.9, 0.8]))
    assert values[INPUT_NONFINITE_SHARE] == 0.0
    assert values[INPUT_CONSTANT_SHARE] == 1.0


def test_tokens_have_a_range_only() -> None:
    assert seen(Inputs(), torch.tensor([[5, 3], [0, 7]])) == {INPUT_MIN: 0.0, INPUT_MAX: 7.0}


def test_the_mask_beside_tokens_is_no_input() -> None:
    tokens = torch.tensor([[5, 3], [0, 7]])
    mask = torch.full((2, 2), -torch.inf).triu(1)
    assert seen(Inputs(), tokens, mask) == {INPUT_MIN: 0.0, INPUT_MAX: 7.0}
    assert seen(Inputs(), mask, torch.ones(4, 2))[INPUT_MEAN] == 1.0


def test_validation_is_written_apart() -> None:
    assert seen(Inputs(), torch.ones(4, 2), purpose=VALIDATION)[INPUT_MEAN] == 1.0
