"""Inputs with mean 0 and deviation 1."""

import torch
from torch import Tensor, nn

from traindx.changes.live.batches import Entrances
from traindx.changes.live.operation import Operation
from traindx.changes.live.program import Program
from traindx.changes.types import ChangeSpec

BATCHES = 30
"""Training batches whose statistics are taken; then they stand."""
_LEAST = 1e-6


class Statistics:
    """Mean and deviation of every feature over the first batches."""

    def __init__(self) -> None:
        self.batches = 0
        self._count, self._sum, self._squares = torch.zeros(1), torch.zeros(1), torch.zeros(1)

    def add(self, values: Tensor, axis: int) -> None:
        """Take one more batch into account."""
        flat = values.detach().double().movedim(axis, -1).flatten(0, -2)
        known = torch.isfinite(flat)
        # One hole in the data must not make a mean of it.
        flat = torch.where(known, flat, torch.zeros_like(flat))
        self._count = self._count.to(flat.device) + known.sum(0)
        self._sum = self._sum.to(flat.device) + flat.sum(0)
        self._squares = self._squares.to(flat.device) + flat.square().sum(0)
        self.batches += 1

    def standardized(self, values: Tensor, axis: int) -> Tensor:
        """Values less the mean, over the deviation."""
        count = self._count.clamp_min(1)
        mean = self._sum / count
        deviation = (self._squares / count - mean.square()).clamp_min(0).sqrt()
        deviation = torch.where(deviation > _LEAST * (1 + mean.abs()), deviation, torch.ones_like(deviation))
        shape = [1] * values.dim()
        shape[axis] = -1
        moved = (values.double() - mean.view(shape)) / deviation.view(shape)
        return moved.to(values.dtype)


def begin(program: Program, change: ChangeSpec) -> None:
    """Standardise what enters the model, feature by feature or channel by channel."""
    of_model: dict[int, Statistics] = {}
    entrances = Entrances(program, change)

    def standardize(model: nn.Module, args: tuple[object, ...]) -> tuple[object, ...] | None:
        found = entrances.features(model, args)
        if found is None:
            return None
        statistics = of_model.setdefault(id(model), Statistics())
        if statistics.batches < BATCHES and (torch.is_grad_enabled() or not statistics.batches):
            statistics.add(found.values, found.axis)
            program.applied(change, f"inputs are standardised by the first {BATCHES} batches")
        standard = statistics.standardized(found.values, found.axis)
        return (*args[: found.place], standard, *args[found.place + 1 :])

    program.on_input(standardize)


OPERATION = Operation(
    name="inputs.standardize",
    forms=("inputs.standardize",),
    says="subtract the mean of every feature and divide by its deviation, both from the first batches",
    begin=begin,
)
