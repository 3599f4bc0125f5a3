# mypy: allow-subclassing-any
"""The types of the programs that are tried, and a small network most of them use."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from traindx.recorder.graph.origin import Source


@dataclass(frozen=True)
class Step:
    """A model, and what to call for its loss."""

    model: nn.Module
    loss: Callable[[], Tensor]

    @property
    def parameters(self) -> dict[int, str]:
        return {id(parameter): name for name, parameter in self.model.named_parameters()}


@dataclass(frozen=True)
class Program:
    """How to build the step, and what is to be found."""

    build: Callable[[], Step]
    operation: str
    layer: str
    source: Source
    says: str
    """A piece of the sentence, with its number."""
    watched: bool
    """Whether the slow reference sees it all: not what is computed again, and no parameter behind a copy."""


class Shelf:
    """Programs by name, in the order they were written."""

    def __init__(self) -> None:
        self.programs: dict[str, Program] = {}

    def add(
        self,
        operation: str,
        layer: str,
        source: Source = Source.OPERATION,
        says: str = "",
        watched: bool = True,
    ) -> Callable[[Callable[[], Step]], Callable[[], Step]]:
        """Put the program below among those that are tried."""

        def keep(build: Callable[[], Step]) -> Callable[[], Step]:
            self.programs[build.__name__] = Program(build, operation, layer, source, says, watched)
            return build

        return keep


class Net(nn.Module):
    """Two linear layers with something between and something after."""

    def __init__(
        self,
        between: Callable[[Tensor], Tensor] = torch.relu,
        after: Callable[[Tensor], Tensor] = lambda value: value,
        bias: bool = True,
    ) -> None:
        super().__init__()
        self.fc1 = nn.Linear(10, 16, bias=bias)
        self.fc2 = nn.Linear(16, 4, bias=bias)
        self.between, self.after = between, after

    def forward(self, batch: Tensor) -> Tensor:
        return self.after(self.fc2(self.between(self.fc1(batch))))


def step_of(
    net: nn.Module, loss: Callable[[Tensor], Tensor] = Tensor.mean, batch: Tensor | None = None
) -> Step:
    data = torch.randn(16, 10) if batch is None else batch
    return Step(net, lambda: loss(net(data)))


def silence(layer: nn.Linear) -> None:
    with torch.no_grad():
        layer.weight.zero_()
        layer.bias.zero_()
