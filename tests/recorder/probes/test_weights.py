"""Norms and moves of weights against plain arithmetic."""

import math

import pytest

pytest.importorskip("torch")

import torch
from torch import Tensor, nn

from tests.recorder.tensors.training import Training
from traindx.quantities import UPDATE_RATIO, WEIGHT_NORM
from traindx.recorder.probes.weights import Weights
from traindx.run import Quantity
from traindx.testing.probe import Written


def of(snapshot: Written, quantity: Quantity) -> dict[str, float]:
    """What was written of a quantity, by layer."""
    return {layer: float(value) for (of, layer, _), value in snapshot.numbers.items() if of is quantity}


def norm(values: Tensor) -> float:
    return math.sqrt(math.fsum(value**2 for value in values.flatten().tolist()))


@pytest.mark.parametrize("width", [5, 300])
@pytest.mark.parametrize("optimizer", [torch.optim.SGD, torch.optim.AdamW])
def test_norms_are_exact_and_moves_those_of_the_whole(
    width: int, optimizer: type[torch.optim.Optimizer]
) -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(width, width), nn.Tanh(), nn.Linear(width, 3)).to(torch.float32)
    before = {name: value.detach().clone() for name, value in model.named_parameters()}
    training = Training(Weights(), model, optimizer(model.parameters(), lr=0.01))
    inputs = torch.randn(32, width)
    snapshot = training.snapshot(lambda: model(inputs).square().mean())
    assert of(snapshot, WEIGHT_NORM) == pytest.approx(
        {name: norm(value) for name, value in before.items()}, rel=1e-5
    )
    expected = {
        name: norm(after.detach() - before[name]) / norm(before[name])
        for name, after in model.named_parameters()
        if after.dim() > 1
    }
    # Up to 1,024 weights all are compared, beyond that a sample.
    assert of(snapshot, UPDATE_RATIO) == pytest.approx(expected, rel=1e-4 if width == 5 else 0.15)


def test_vectors_count_where_there_is_nothing_else() -> None:
    model = nn.ParameterDict({"slope": nn.Parameter(torch.tensor([2.0, 0.0]))})
    training = Training(Weights(), model, torch.optim.SGD(model.parameters(), lr=0.5))
    assert of(training.snapshot(model["slope"].sum), UPDATE_RATIO) == pytest.approx({"slope": 0.5**0.5 / 2})


def test_weights_that_begin_at_zero_move_by_themselves() -> None:
    model = nn.ParameterDict(
        {"zero": nn.Parameter(torch.zeros(3, 3)), "still": nn.Parameter(torch.zeros(3, 3))}
    )
    training = Training(Weights(), model, torch.optim.SGD(model.parameters(), lr=0.5))
    snapshot = training.snapshot(lambda: model["zero"].sum() + 0 * model["still"].sum())
    assert of(snapshot, UPDATE_RATIO) == {"zero": 1.0, "still": 0.0}


def test_rows_of_an_embedding_without_gradient_do_not_count() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Embedding(20_000, 16))
    before = model[0].weight.detach().clone()
    training = Training(Weights(), model, torch.optim.SGD(model.parameters(), lr=0.1))
    rows = torch.arange(0, 20_000, 50)
    ratio = of(training.snapshot(lambda: model(rows).sum()), UPDATE_RATIO)["0.weight"]
    change = model[0].weight.detach() - before
    assert ratio == pytest.approx(norm(change[rows]) / norm(before[rows]), rel=0.3)
    assert ratio > 5 * norm(change) / norm(before)


def test_half_precision_and_other_layouts_are_compared() -> None:
    torch.manual_seed(0)
    model = nn.Conv2d(16, 32, 3).to(memory_format=torch.channels_last).bfloat16()
    training = Training(Weights(), model, torch.optim.SGD(model.parameters(), lr=0.1))
    before = model.weight.detach().clone()
    snapshot = training.snapshot(lambda: model(torch.randn(2, 16, 8, 8).bfloat16()).square().sum())
    expected = norm(model.weight.detach() - before) / norm(before)
    assert of(snapshot, UPDATE_RATIO)["weight"] == pytest.approx(expected, rel=0.15)
