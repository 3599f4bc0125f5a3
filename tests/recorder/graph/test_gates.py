"""Sigmoids that only scale other values, and layers that everything has to pass."""

from collections.abc import Callable

import pytest

pytest.importorskip("torch")

import torch
import torch.nn.functional as F  # noqa: N812 - as everyone calls it
from torch import Tensor, nn

from traindx.recorder.graph.gates import Gates
from traindx.recorder.graph.linearity import linearity
from traindx.recorder.graph.nodes import nodes_behind

INPUTS = torch.randn(8, 10, generator=torch.Generator().manual_seed(3))
WIDE, OTHER, OUT = nn.Linear(10, 10), nn.Linear(10, 10), nn.Linear(10, 3)
MASK = nn.Parameter(torch.zeros(10))


def highway(x: Tensor) -> Tensor:
    gate = torch.sigmoid(OTHER(x))
    return OUT(gate * WIDE(x) + (1 - gate) * x)


@pytest.mark.parametrize(
    ("model", "gates"),
    [
        (lambda x: OUT(WIDE(x) * torch.sigmoid(OTHER(x))), 1),
        (lambda x: OUT(x * torch.sigmoid(OTHER(x))), 1),
        (lambda x: OUT(WIDE(x) * torch.sigmoid(MASK) * 2.0), 1),
        (highway, 1),
        (lambda x: OUT(torch.sigmoid(WIDE(x))), 0),
        (lambda x: OUT(2 * torch.sigmoid(WIDE(x))), 0),
        (lambda x: torch.sigmoid(OUT(x)), 0),
    ],
)
def test_a_sigmoid_that_only_scales_is_a_gate(model: Callable[[Tensor], Tensor], gates: int) -> None:
    found = Gates()
    root = model(INPUTS).mean().grad_fn
    assert root is not None
    for node in nodes_behind(root):
        found.add(node)
    assert len(found.outputs) == gates


class Branching(nn.Module):
    """A layer of two units, with or without something that goes around it."""

    def __init__(self, around: str) -> None:
        super().__init__()
        self.around = around
        self.first, self.few = nn.Linear(10, 32), nn.Linear(32, 2)
        self.back, self.parallel, self.last = nn.Linear(2, 32), nn.Linear(10, 32), nn.Linear(32, 20)

    def forward(self, x: Tensor) -> Tensor:
        hidden = self.first(x).relu()
        narrow = self.back(self.few(hidden).relu())
        if self.around == "residual":
            narrow = narrow + hidden
        elif self.around == "branch":
            narrow = narrow + self.parallel(x)
        return torch.as_tensor(self.last(narrow))


@pytest.mark.parametrize(("around", "is_bottleneck"), [("", True), ("residual", False), ("branch", False)])
def test_a_layer_that_something_goes_around_is_no_bottleneck(around: str, is_bottleneck: bool) -> None:
    model = Branching(around)
    prediction = model(INPUTS)
    loss = F.cross_entropy(prediction, torch.arange(8))
    assert loss.grad_fn is not None
    assert prediction.grad_fn is not None
    names = {id(value): name for name, value in model.named_parameters()}
    linear = linearity(loss.grad_fn, [prediction.grad_fn._sequence_nr()], names)
    assert linear is not None
    assert ("few" in linear.narrow) == is_bottleneck
