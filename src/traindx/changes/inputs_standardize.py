"""Inputs with mean 0 and deviation 1."""

import torch
from torch import Tensor, nn

from traindx.change import Change
from traindx.surgery.operation import Operation
from traindx.surgery.program import Program

BATCHES = 30
"""Training batches whose statistics are taken; then they stand."""
_LEAST = 1e-6


class Statistics:
    """Mean and deviation of every feature over the first batches."""

    def __init__(self) -> None:
        self.batches = 0
        self._count, self._sum, self._squares = 0.0, torch.zeros(1), torch.zeros(1)

    def add(self, values: Tensor, axis: int) -> None:
        """Take one more batch into account."""
        flat = values.detach().double().movedim(axis, -1).flatten(0, -2)
        self._count += len(flat)
        self._sum = self._sum + flat.sum(0)
        self._squares = self._squares + flat.square().sum(0)
        self.batches += 1

    def standardized(self, values: Tensor, axis: int) -> Tensor:
        """Values less the mean, over the deviation."""
        mean = self._sum / self._count
        deviation = (self._squares / self._count - mean.square()).clamp_min(0).sqrt()
        deviation = torch.where(deviation > _LEAST * (1 + mean.abs()), deviation, torch.ones_like(deviation))
        shape = [1] * values.dim()
        shape[axis] = -1
        moved = (values.double() - mean.view(shape)) / deviation.view(shape)
        return moved.to(values.dtype)


def begin(program: Program, change: Change) -> None:
    """Standardise what enters the model, feature by feature or channel by channel."""
    of_model: dict[int, Statistics] = {}

    def standardize(model: nn.Module, args: tuple[object, ...]) -> tuple[object, ...] | None:
        place = next((n for n, one in enumerate(args) if isinstance(one, Tensor)), None)
        values = args[place] if place is not None else None
        if not isinstance(values, Tensor) or not values.is_floating_point() or values.dim() < 2:
            program.refuse(change, "the model is not given rows of decimal numbers")
            return None
        axis = values.dim() - 1 if values.dim() == 3 and not _convolves(model) else 1
        statistics = of_model.setdefault(id(model), Statistics())
        if statistics.batches < BATCHES and (torch.is_grad_enabled() or not statistics.batches):
            statistics.add(values, axis)
            program.applied(change, f"inputs are standardised by the first {BATCHES} batches")
        return (*args[:place], statistics.standardized(values, axis), *args[place + 1 :])  # type: ignore[operator]

    program.on_input(standardize)


def _convolves(model: nn.Module) -> bool:
    first = next(
        (one for one in model.modules() if isinstance(one, nn.Linear | nn.Conv1d | nn.RNNBase)), None
    )
    return isinstance(first, nn.Conv1d)


OPERATION = Operation(
    name="inputs.standardize",
    forms=("inputs.standardize",),
    says="subtract the mean of every feature and divide by its deviation, both from the first batches",
    begin=begin,
)
