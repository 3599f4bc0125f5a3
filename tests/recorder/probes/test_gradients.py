"""Norms of gradients against plain arithmetic."""

import math

import pytest

pytest.importorskip("torch")

import torch
from torch import nn

from tests.recorder.tensors.training import Training, named
from traindx.quantities import GRADIENT_NORM, NONFINITE_SHARE
from traindx.recorder.probes.gradients import Gradients
from traindx.recorder.probes.types import Update
from traindx.testing.probe import Written


def test_norms_are_those_of_every_parameter_with_a_gradient() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Embedding(9, 4, sparse=True), nn.Linear(4, 3), nn.Linear(3, 3))
    model[1].bias.requires_grad_(False)
    training = Training(Gradients(), model, torch.optim.SGD(model.parameters(), lr=0.1))
    snapshot = training.snapshot(lambda: model(torch.tensor([1, 1, 4])).square().sum())
    expected = {}
    for name, parameter in model.named_parameters():
        if parameter.grad is not None:
            values = parameter.grad.to_dense().flatten().tolist()
            expected[GRADIENT_NORM, name, ""] = math.sqrt(math.fsum(value**2 for value in values))
    assert len(expected) == 4
    assert snapshot.numbers == pytest.approx(expected, rel=1e-5)


def test_of_gradients_that_are_not_finite_the_share_is_told() -> None:
    few, many, fine = (nn.Parameter(torch.ones(size)) for size in (8, 100_000, 8))
    few.grad, many.grad, fine.grad = torch.ones(8), torch.ones(100_000), torch.ones(8)
    few.grad[:2] = math.nan
    # Too rare for the sample: the norm tells that there is one.
    many.grad[1] = math.inf
    model = nn.ParameterDict({"few": few, "many": many, "fine": fine})
    snapshot = Written()
    Gradients().update_begins(snapshot, Update(None, named(model), 8))
    shares = {
        name: value
        for (quantity, name, part), value in snapshot.numbers.items()
        if quantity is NONFINITE_SHARE
    }
    assert shares == pytest.approx({"few": 0.25, "many": 1e-5})
    assert snapshot.numbers[GRADIENT_NORM, "many", ""] == math.inf
