"""Inputs without outliers."""

import torch
from torch import Tensor, nn

from traindx.changes.live.batches import Entrances
from traindx.changes.live.operation import Operation
from traindx.changes.live.program import Program
from traindx.changes.types import ChangeSpec

_BATCHES = 10
_DEVIATION = 1.4826
"""Standard deviations in a median distance from the median, of a normal distribution."""


class Limits:
    """Where every feature is cut: so many deviations from its middle, by medians of the first batches."""

    def __init__(self, far: float) -> None:
        self._far = far
        self._first: list[Tensor] = []
        self._low, self._high = torch.zeros(1), torch.zeros(1)

    def cut(self, values: Tensor, axis: int) -> Tensor:
        """Values that are nowhere beyond the limits; the first ones set them."""
        # By what it learns from; validation may come first.
        if len(self._first) < _BATCHES and (torch.is_grad_enabled() or not self._first):
            self._first.append(values.detach().movedim(axis, -1).flatten(0, -2))
            self._low, self._high = _limits(torch.cat(self._first), self._far)
        shape = [1] * values.dim()
        shape[axis] = -1
        return torch.minimum(torch.maximum(values, self._low.view(shape)), self._high.view(shape))


def begin(program: Program, change: ChangeSpec) -> None:
    """Cut what lies more deviations from the middle than a number."""
    far = change.number
    of_model: dict[int, Limits] = {}
    entrances = Entrances(program, change)

    def cut(model: nn.Module, args: tuple[object, ...]) -> tuple[object, ...] | None:
        found = entrances.features(model, args)
        if found is None:
            return None
        inside = of_model.setdefault(id(model), Limits(far)).cut(found.values, found.axis)
        if bool((inside != found.values).any()):
            program.applied(change, f"inputs more than {far:g} deviations from their median are cut")
        return (*args[: found.place], inside, *args[found.place + 1 :])

    program.on_input(cut)


def _limits(rows: Tensor, far: float) -> tuple[Tensor, Tensor]:
    middle = rows.median(0).values
    away = (rows - middle).abs()
    spread = _DEVIATION * away.median(0).values
    # A feature that is mostly one value has no median distance: its mean one tells.
    spread = torch.where(spread > 0, spread, away.mean(0))
    return middle - far * spread, middle + far * spread


OPERATION = Operation(
    name="inputs.clip",
    forms=("inputs.clip 8",),
    says="cut inputs that lie more deviations from the median of their feature than a number",
    begin=begin,
)
