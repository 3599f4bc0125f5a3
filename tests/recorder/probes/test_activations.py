"""Statistics of activations against plain arithmetic."""

import math
import statistics

import pytest

pytest.importorskip("torch")

import torch
from torch import Tensor, nn

from tests.recorder.tensors.training import Training, shown
from traindx.quantities import (
    ACTIVATION_MEAN,
    ACTIVATION_STD,
    ACTIVATION_ZERO_SHARE,
    NONFINITE_SHARE,
    SATURATED_SHARE,
)
from traindx.recorder.probes.activations import Activations
from traindx.recorder.probes.types import Purpose
from traindx.testing.probe import Written


def of(snapshot: Written, layer: str) -> dict[object, float]:
    """What was written about a layer."""
    return {
        quantity: float(value) for (quantity, name, _), value in snapshot.numbers.items() if name == layer
    }


def slowly(output: Tensor) -> dict[object, float]:
    values = output.flatten().tolist()
    expected: dict[object, float] = {
        ACTIVATION_MEAN: statistics.fmean(values),
        ACTIVATION_STD: statistics.pstdev(values),
    }
    zeros = sum(value == 0 for value in values) / len(values)
    return {**expected, **({ACTIVATION_ZERO_SHARE: zeros} if zeros else {})}


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.bfloat16])
def test_small_outputs_are_described_exactly(dtype: torch.dtype) -> None:
    torch.manual_seed(0)
    values = (torch.randn(20, 30) * 5 + 40).to(dtype)
    snapshot = shown(Activations(), [("first", nn.Identity()), ("relu", nn.Threshold(40.0, 0.0))], values)
    assert of(snapshot, "first") == pytest.approx(slowly(values), rel=1e-4)
    assert of(snapshot, "relu") == pytest.approx(slowly(torch.where(values > 40, values, 0)), rel=1e-4)


@pytest.mark.parametrize("layout", [torch.contiguous_format, torch.channels_last])
def test_large_outputs_are_described_by_a_fair_sample(layout: torch.memory_format) -> None:
    torch.manual_seed(1)
    scales = torch.linspace(0.5, 2, 32).reshape(1, 32, 1, 1)
    values = (torch.randn(64, 32, 16, 16) * scales + 3).to(memory_format=layout)
    snapshot = shown(Activations(), [("x", nn.Identity()), ("relu", nn.ReLU())], values - 3)
    expected = float((values - 3).std())
    assert of(snapshot, "x")[ACTIVATION_MEAN] == pytest.approx(0, abs=4 * expected / 32)
    assert of(snapshot, "x")[ACTIVATION_STD] == pytest.approx(expected, rel=0.1)
    assert of(snapshot, "relu")[ACTIVATION_ZERO_SHARE] == pytest.approx(0.5, abs=0.06)


def test_flat_ends_of_bounded_activations_are_counted() -> None:
    values = torch.tensor([-9.0, -1.0, 0.0, 1.0, 9.0]).repeat(4, 2)
    modules = {"sigmoid": nn.Sigmoid(), "tanh": nn.Tanh(), "hard": nn.Hardtanh(), "relu6": nn.ReLU6()}
    shares = {
        name: of(shown(Activations(), [(name, module)], values), name).get(SATURATED_SHARE)
        for name, module in modules.items()
    }
    assert shares == pytest.approx({"sigmoid": 0.4, "tanh": 0.4, "hard": 0.8, "relu6": 0.2})
    assert SATURATED_SHARE not in of(shown(Activations(), [("relu", nn.ReLU())], values), "relu")


def test_values_that_are_not_finite_are_counted() -> None:
    values = torch.tensor([1.0, math.nan, math.inf, -math.inf, 0.0]).repeat(4, 1)
    snapshot = shown(Activations(), [("bad", nn.Identity()), ("good", nn.Hardtanh())], values)
    assert of(snapshot, "bad")[NONFINITE_SHARE] == pytest.approx(0.6)
    assert math.isnan(of(snapshot, "bad")[ACTIVATION_MEAN])
    assert of(snapshot, "bad")[ACTIVATION_ZERO_SHARE] == pytest.approx(0.2)


def test_large_finite_values_are_finite() -> None:
    snapshot = shown(Activations(), [("x", nn.Identity())], torch.tensor([[3e38, -1e38], [3e38, -1e38]]))
    assert of(snapshot, "x") == pytest.approx({ACTIVATION_MEAN: 1e38, ACTIVATION_STD: 2e38})


def test_a_layer_that_once_showed_zeros_always_says_how_many() -> None:
    probe = Activations()
    for step, values in enumerate((torch.ones(4, 4), torch.zeros(4, 4), torch.ones(4, 4)), start=1):
        snapshot = shown(probe, [("relu", nn.ReLU())], values, step=step)
        assert of(snapshot, "relu").get(ACTIVATION_ZERO_SHARE) == (None, 1.0, 0.0)[step - 1]


def test_values_are_those_before_the_next_module_writes_over_them() -> None:
    values = torch.tensor([[-1.0, 3.0]])
    snapshot = shown(Activations(), [("linear", nn.Identity()), ("relu", nn.ReLU(inplace=True))], values)
    assert of(snapshot, "linear") == {ACTIVATION_MEAN: 1.0, ACTIVATION_STD: 2.0}
    assert of(snapshot, "relu")[ACTIVATION_MEAN] == 1.5


def test_of_several_batches_behind_one_step_the_first_counts() -> None:
    model = nn.Sequential(nn.Linear(2, 3))
    training = Training(Activations(), model, torch.optim.SGD(model.parameters(), lr=0.0))
    batches = [torch.ones(4, 2), torch.full((4, 2), 100.0)]
    snapshot = training.snapshot(lambda: model(batches.pop(0)).mean(), backwards=2)
    assert of(snapshot, "0") == pytest.approx(slowly(model(torch.ones(4, 2)).detach()), abs=1e-6)
    batches = [torch.full((4, 2), 100.0)]
    assert of(training.snapshot(lambda: model(batches.pop(0)).mean()), "0")[ACTIVATION_STD] > 1


def test_validation_says_nothing_of_layers() -> None:
    snapshot, probe = Written(), Activations()
    probe.module_returns(snapshot, "x", nn.Identity(), torch.ones(3, 3), Purpose.VALIDATION)
    probe.backward_begins(snapshot, torch.tensor(1.0), [])
    assert not snapshot.numbers


def test_steps_of_the_same_number_of_two_optimizers_are_both_described() -> None:
    probe, model = Activations(), nn.Sequential(nn.Linear(2, 3))
    trainings = [Training(probe, model, torch.optim.SGD(model.parameters(), lr=0.0)) for _ in range(2)]
    looks = [training.snapshot(lambda: model(torch.ones(4, 2)).mean()) for training in trainings]
    assert looks[0].step == looks[1].step
    assert of(looks[0], "0") == of(looks[1], "0") != {}
