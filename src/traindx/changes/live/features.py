"""What is given to a model, as rows of features."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from traindx.changes.live.program import Program
from traindx.changes.types import ChangeSpec

_READING = nn.Linear | nn.Conv1d | nn.Conv2d | nn.RNNBase


@dataclass(frozen=True, eq=False)
class Features:
    """The data among the arguments of a model."""

    place: int
    """Which argument it is."""
    values: Tensor
    axis: int
    """Where features or channels are."""


class Entrances:
    """The models of a program that data enters: what goes on from one model to the next is none."""

    def __init__(self, program: Program, change: ChangeSpec) -> None:
        self._program, self._change = program, change
        self._inner: set[int] = set()

    def features(self, model: nn.Module, args: tuple[object, ...]) -> Features | None:
        """The first tensor that a model is given; None where that is no rows of decimal numbers."""
        place = next((n for n, one in enumerate(args) if isinstance(one, Tensor)), None)
        values = args[place] if place is not None else None
        if place is None or not isinstance(values, Tensor) or not _are_rows(values):
            self._program.refuse(self._change, "the model is not given rows of decimal numbers")
            return None
        if torch.is_grad_enabled() and values.requires_grad:
            self._inner.add(id(model))
        if id(model) in self._inner:
            return None
        series = values.dim() == 3 and not _convolves(model)
        return Features(place, values, values.dim() - 1 if series else 1)


def _are_rows(values: Tensor) -> bool:
    return bool(values.is_floating_point()) and values.dim() >= 2


def _convolves(model: nn.Module) -> bool:
    first = next((one for one in model.modules() if isinstance(one, _READING)), None)
    return isinstance(first, nn.Conv1d | nn.Conv2d)
