"""Differences by hand that pair all with all, and those that are meant so."""

from collections.abc import Callable

import pytest

torch = pytest.importorskip("torch")

from torch import Tensor, nn  # noqa: E402
from torch.nn import functional  # noqa: E402

from traindx.recorder.probes.loss_function import stretched  # noqa: E402

Loss = Callable[[Tensor, Tensor], Tensor]


def _squared(predictions: Tensor, targets: Tensor) -> Tensor:
    return ((predictions - targets) ** 2).mean()


def _yes_no(predictions: Tensor, targets: Tensor) -> Tensor:
    return (functional.softplus(predictions) - predictions * targets).mean()


def _root(predictions: Tensor, targets: Tensor) -> Tensor:
    return 0.5 * (targets - predictions).pow(2).mean().sqrt()


def _ranked(predictions: Tensor, targets: Tensor) -> Tensor:
    """Every sample against every other, on purpose."""
    apart = predictions[:, None] - predictions[None, :]
    return functional.relu(1 - apart.flatten(1)).mean()


@pytest.mark.parametrize("loss", [_squared, _yes_no, _root])
def test_a_target_without_the_last_dimension_is_found(loss: Loss) -> None:
    outputs = nn.Linear(3, 1)(torch.randn(8, 3))
    assert stretched(loss(outputs, torch.rand(8)).grad_fn) == ((8, 1), (8,))
    assert stretched(loss(outputs.squeeze(1), torch.rand(8, 1)).grad_fn) == ((8,), (8, 1))


@pytest.mark.parametrize("loss", [_squared, _yes_no, _root])
def test_equal_shapes_are_left_alone(loss: Loss) -> None:
    outputs = nn.Linear(3, 1)(torch.randn(8, 3))
    assert stretched(loss(outputs, torch.rand(8, 1)).grad_fn) is None
    assert stretched(loss(outputs.squeeze(1), torch.rand(8)).grad_fn) is None


def test_pairs_that_are_meant_are_left_alone() -> None:
    outputs = nn.Linear(3, 1)(torch.randn(8, 3)).squeeze(1)
    assert stretched(_ranked(outputs, torch.rand(8)).grad_fn) is None


def test_a_square_of_values_that_the_model_gives_is_left_alone() -> None:
    outputs = nn.Linear(3, 8)(torch.randn(8, 3))
    assert stretched(_squared(outputs, torch.rand(8)).grad_fn) is None
