"""Outliers: those planted are found, the tails that data have are not."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from traindx.recorder.tensors.outliers import outliers

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
    found = sum(share(features[first : first + 8]) for first in range(0, 400, 8)) / 50
    assert found <= most


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
