"""Activations that are functions are recorded as modules would be."""

import pytest

pytest.importorskip("torch")

import torch
import torch.nn.functional as F  # noqa: N812 - as everyone calls it
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from tests.recorder.tensors.training import Training, named
from traindx.quantities import ACTIVATION_MEAN, DEAD_UNIT_SHARE, SATURATED_SHARE
from traindx.recorder.probes.activations import Activations, FunctionalActivations
from traindx.recorder.probes.types import Probe
from traindx.recorder.probes.units import DeadUnits
from traindx.testing.probe import Written


class Net(nn.Module):
    """Two layers, with activations as functions or as modules."""

    def __init__(self, *, modules: bool) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.fc1, self.fc2, self.out = nn.Linear(6, 8), nn.Linear(8, 4), nn.Linear(4, 1)
        self.relu = nn.ReLU() if modules else F.relu
        self.tanh = nn.Tanh() if modules else torch.tanh
        with torch.no_grad():
            self.fc1.bias[:2] = -1000.0

    def forward(self, values: Tensor) -> Tensor:
        return self.out(self.tanh(self.fc2(self.relu(self.fc1(values)))))


def looks(probe: Probe, model: nn.Module, steps: int = 5) -> Written:
    training = Training(probe, model, torch.optim.SGD(model.parameters(), lr=0.01))
    for step in range(steps):
        torch.manual_seed(step)
        snapshot = training.snapshot(lambda: model(torch.randn(64, 6)).square().mean())
    return snapshot


def test_functions_give_what_modules_give() -> None:
    functions = looks(FunctionalActivations(), Net(modules=False)).numbers
    described, dead = (
        looks(Activations(), Net(modules=True)).numbers,
        looks(DeadUnits(), Net(modules=True)).numbers,
    )
    expected = {
        (quantity, {"relu": "fc1", "tanh": "fc2"}[layer], layer): value
        for (quantity, layer, _), value in (described | dead).items()
        if layer in ("relu", "tanh")
    }
    assert functions == pytest.approx(expected)
    assert functions[DEAD_UNIT_SHARE, "fc1", "relu"] == 0.25
    assert (SATURATED_SHARE, "fc2", "tanh") in functions


def test_modules_are_not_recorded_again() -> None:
    assert not looks(FunctionalActivations(), Net(modules=True)).numbers


def test_where_there_are_none_the_search_ends() -> None:
    probe = FunctionalActivations()
    looks(probe, Net(modules=True), steps=3)
    assert not looks(probe, Net(modules=False), steps=1).numbers


def test_calls_behind_one_layer_are_numbered() -> None:
    cell = nn.Linear(4, 4)

    def unrolled() -> Tensor:
        state = torch.ones(2, 4)
        for _ in range(9):
            state = torch.tanh(cell(state))
        return state.sum()

    training = Training(FunctionalActivations(), cell, torch.optim.SGD(cell.parameters(), lr=0.0))
    snapshot = training.snapshot(unrolled)
    first = torch.tanh(cell(torch.ones(2, 4)))
    assert {part for _, _, part in snapshot.numbers} == {"tanh", "tanh 2", "tanh 3", "tanh 4"}
    means = [float(value) for (quantity, _, part), value in snapshot.numbers.items() if part == "tanh"]
    assert means[0] == pytest.approx(float(first.detach().mean()))


class Mixed(nn.Module):
    """Every way an activation may stand in a forward pass."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3)
        self.norm = nn.BatchNorm2d(4)
        self.skip = nn.Conv2d(4, 4, 1, bias=False)
        self.fc1 = nn.Linear(64, 16)
        self.fc2 = nn.Linear(16, 16, bias=False)
        self.out = nn.Linear(16, 1)
        with torch.no_grad():
            self.norm.bias[:2] = -1000.0
            self.skip.weight[0] = self.norm.bias[0] = -1000.0
            self.skip.weight[0, 0] = 0.0

    def forward(self, images: Tensor) -> tuple[Tensor, dict[tuple[str, str], Tensor]]:
        first = F.relu(self.norm(self.conv(images)))
        second = F.relu_(self.skip(first) + first)
        third = torch.tanh(self.fc1(F.max_pool2d(second, 2).flatten(1)))
        fourth = torch.sigmoid(self.fc2(third))
        kept = {("norm", "relu"): first, ("skip", "relu"): second, ("fc1", "tanh"): third}
        return self.out(fourth), {**kept, ("fc2", "sigmoid"): fourth}


@pytest.mark.parametrize("precision", ["float32", "autocast"])
def test_each_is_found_under_the_layer_before_it(precision: str) -> None:
    torch.manual_seed(0)
    model, made = Mixed(), {}

    def loss() -> Tensor:
        with torch.autocast("cpu", torch.bfloat16, enabled=precision == "autocast"):
            output, outputs = model(torch.randn(64, 3, 10, 10))
        made.update(outputs)
        return output.float().sum()

    training = Training(FunctionalActivations(), model, torch.optim.SGD(model.parameters(), lr=0.0))
    for _ in range(5):
        snapshot = training.snapshot(loss)
    means = {key[1:]: float(value) for key, value in snapshot.numbers.items() if key[0] is ACTIVATION_MEAN}
    deviations = {key: float(value.detach().float().std()) for key, value in made.items()}
    assert means.keys() == made.keys()
    for key, value in made.items():
        assert means[key] == pytest.approx(float(value.detach().float().mean()), abs=0.15 * deviations[key])
    # Two channels and two units can never be above zero.
    dead = {
        layer: value
        for (quantity, layer, _), value in snapshot.numbers.items()
        if quantity is DEAD_UNIT_SHARE
    }
    assert dead == {"norm": 0.5, "skip": 0.25}


def test_what_a_checkpoint_packed_away_stays_packed() -> None:
    layer, runs = nn.Linear(4, 4), []

    def forward(values: Tensor) -> Tensor:
        runs.append(1)
        return F.relu(layer(values))

    loss = checkpoint(forward, torch.randn(3, 4), use_reentrant=False).sum()
    snapshot = Written()
    FunctionalActivations().backward_begins(snapshot, loss, named(layer))
    assert len(runs) == 1
    assert not snapshot.numbers


def test_activations_before_any_parameter_are_left_out() -> None:
    model = nn.Sequential(nn.Linear(4, 4))
    inputs = torch.randn(3, 4, requires_grad=True)
    snapshot = Written()
    FunctionalActivations().backward_begins(snapshot, model(F.relu(inputs)).tanh().sum(), named(model))
    assert {(layer, part) for _, layer, part in snapshot.numbers} == {("0", "tanh")}
