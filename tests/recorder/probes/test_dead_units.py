"""Dead units of small models."""

from collections.abc import Callable

import pytest

pytest.importorskip("torch")

import torch
from torch import Tensor, nn

from tests.recorder.tensors.training import Training, shown
from traindx.quantities import DEAD_UNIT_SHARE
from traindx.recorder.probes.types import Purpose
from traindx.recorder.probes.units import DeadUnits
from traindx.testing.probe import Written

Modules = list[tuple[str, nn.Module]]


def shares(probe: DeadUnits, modules: Modules, inputs: Tensor, looks: int = 5) -> dict[str, float]:
    """What is written about each layer at the last look."""
    for step in range(1, looks + 1):
        snapshot = shown(probe, modules, inputs, step=step)
    return {
        layer: float(value)
        for (quantity, layer, _), value in snapshot.numbers.items()
        if quantity is DEAD_UNIT_SHARE
    }


def kill(layer: nn.Module, units: int) -> nn.Module:
    """The layer with its first units pushed far below zero."""
    with torch.no_grad():
        layer.bias[:units] = -1000.0
    return layer


def test_units_below_zero_for_every_input_are_dead() -> None:
    torch.manual_seed(0)
    modules: Modules = [("fc", kill(nn.Linear(6, 8), 3)), ("relu", nn.ReLU())]
    assert shares(DeadUnits(), modules, torch.randn(64, 6)) == {"relu": 3 / 8}


def test_too_few_looks_or_inputs_say_nothing() -> None:
    modules: Modules = [("relu", nn.ReLU())]
    assert shares(DeadUnits(), modules, -torch.ones(300, 4), looks=4) == {}
    assert shares(DeadUnits(), modules, -torch.ones(50, 4), looks=5) == {}
    assert shares(DeadUnits(), modules, -torch.ones(50, 4), looks=6) == {"relu": 1.0}


@pytest.mark.parametrize(
    ("make", "shape"),
    [
        (lambda: nn.Conv1d(3, 8, 3), (16, 3, 20)),
        (lambda: nn.Conv2d(3, 8, 3), (16, 3, 10, 10)),
        (lambda: nn.Conv3d(3, 8, 3), (8, 3, 6, 6, 6)),
        (lambda: nn.BatchNorm1d(8), (16, 8, 20)),
        (lambda: nn.Linear(3, 8), (8, 10, 3)),
        (lambda: nn.Linear(3, 8), (4, 6, 5, 3)),
    ],
    ids=["sequence", "image", "volume", "normalized sequence", "tokens", "tokens of images"],
)
def test_units_lie_where_the_layer_before_counts_them(
    make: Callable[[], nn.Module], shape: tuple[int, ...]
) -> None:
    torch.manual_seed(0)
    modules: Modules = [("layer", kill(make(), 2)), ("pool", nn.Dropout(0.0)), ("relu", nn.ReLU())]
    assert shares(DeadUnits(), modules, torch.randn(shape), looks=8) == {"relu": 0.25}


def test_layers_that_cannot_rest_are_not_watched() -> None:
    modules: Modules = [("fc", nn.Linear(4, 4)), ("tanh", nn.Tanh()), ("leaky", nn.LeakyReLU())]
    assert shares(DeadUnits(), modules, torch.zeros(300, 4)) == {}


def test_a_relu_that_learns_again_is_alive_again() -> None:
    torch.manual_seed(0)
    layer, probe, inputs = kill(nn.Linear(6, 8), 8), DeadUnits(), torch.randn(64, 6)
    modules: Modules = [("fc", layer), ("relu", nn.ReLU())]
    assert shares(probe, modules, inputs) == {"relu": 1.0}
    with torch.no_grad():
        layer.bias[:4] = 1000.0
    assert shares(probe, modules, inputs, looks=6) == {"relu": 0.5}


def test_validation_is_not_looked_at() -> None:
    probe, snapshot = DeadUnits(), Written()
    for snapshot.step in range(1, 8):
        probe.module_returns(snapshot, "relu", nn.ReLU(), torch.zeros(300, 4), Purpose.VALIDATION)
        probe.backward_begins(snapshot, torch.tensor(1.0), [])
    assert not snapshot.numbers


def test_steps_of_the_same_number_of_two_optimizers_both_count() -> None:
    probe, model = DeadUnits(), nn.Sequential(kill(nn.Linear(2, 4), 1), nn.ReLU())
    trainings = [Training(probe, model, torch.optim.SGD(model.parameters(), lr=0.0)) for _ in range(2)]
    looks = [
        training.snapshot(lambda: model(torch.randn(100, 2)).mean())
        for _ in range(3)
        for training in trainings
    ]
    assert [len(snapshot.numbers) for snapshot in looks] == [0, 0, 0, 0, 1, 1]
