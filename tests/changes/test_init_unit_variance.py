"""Weights scaled by what passes through them."""

from pathlib import Path

import pytest

pytest.importorskip("torch")

import torch
from torch import nn

from tests.changes.changing import changed, notes


class Steep(nn.Module):
    """Activations that are full whatever enters them."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second, self.out = nn.Linear(10, 40), nn.Linear(40, 40), nn.Linear(40, 3)
        self.seen: list[torch.Tensor] = []

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for layer in (self.first, self.second):
            entering = 50 * layer(x)
            self.seen.append(entering.detach())
            x = torch.tanh(entering)
        return self.out(x)


def test_what_enters_each_activation_has_deviation_one(tmp_path: Path) -> None:
    torch.manual_seed(0)
    x, model = torch.randn(200, 10), Steep()
    with changed(tmp_path, "init.unit_variance"):
        state = torch.get_rng_state()
        loss = model(x).square().mean()
        assert torch.equal(torch.get_rng_state(), state)
    deviations = [float(values.std()) for values in model.seen[-2:]]
    assert deviations == pytest.approx([1.0, 1.0], abs=0.02)
    # The pass that measured is not part of the graph.
    loss.backward()
    assert model.first.weight.grad is not None
    (note,) = notes(tmp_path)
    assert (note["applied"], note["says"]) == (True, "3 layers scaled to output std 1 on the first batch")


def test_weights_are_left_alone_after_the_first_pass(tmp_path: Path) -> None:
    torch.manual_seed(0)
    model = Steep()
    with changed(tmp_path, "init.unit_variance"):
        model(torch.randn(50, 10))
        kept = model.first.weight.clone()
        model(100 * torch.randn(50, 10))
    assert torch.equal(model.first.weight, kept)
