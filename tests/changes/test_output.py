"""Changes of what stands at the output of a model."""

from pathlib import Path

import pytest

pytest.importorskip("torch")

import torch
from torch import Tensor, nn

from tests.changes.changing import changed, notes


class Bounded(nn.Module):
    """A hidden activation and one at the output, both as calls."""

    def __init__(self) -> None:
        super().__init__()
        self.hidden, self.out = nn.Linear(3, 8), nn.Linear(8, 1)

    def forward(self, x: Tensor) -> Tensor:
        return torch.sigmoid(self.out(torch.sigmoid(self.hidden(x)))).squeeze(1)


def test_a_call_at_the_output_is_taken_away_and_hidden_ones_stay(tmp_path: Path) -> None:
    torch.manual_seed(0)
    model, x = Bounded(), torch.randn(20, 3)
    straight = model.out(torch.sigmoid(model.hidden(x))).squeeze(1)
    with changed(tmp_path, "output.remove_activation"):
        assert not torch.allclose(model(x), straight)  # where it stands is learned from the first pass
        assert torch.allclose(model(x), straight)
        assert torch.allclose(torch.sigmoid(x), 1 / (1 + torch.exp(-x)))  # outside of the model
    assert notes(tmp_path)[0]["says"] == "sigmoid removed from the output"


def test_a_softmax_over_one_unit_becomes_a_sigmoid(tmp_path: Path) -> None:
    single, three = torch.randn(5, 1), torch.randn(5, 3)
    with changed(tmp_path, "output.sigmoid"):
        assert torch.equal(nn.Softmax(dim=1)(single), torch.sigmoid(single))
        assert torch.equal(single.softmax(-1), torch.sigmoid(single))
        assert torch.softmax(three, dim=1).sum(1) == pytest.approx(torch.ones(5))
    assert torch.softmax(single, dim=1) == pytest.approx(torch.ones(5, 1))
    (note,) = notes(tmp_path)
    assert note["says"] == "softmax over one unit replaced by sigmoid"


def test_half_precision_inputs_follow_a_model_that_stays_whole(tmp_path: Path) -> None:
    with changed(tmp_path, "precision.use float32"):
        model = nn.Linear(3, 2).to(torch.float16)
        assert model(torch.randn(4, 3, dtype=torch.float16)).dtype is torch.float32
