"""Inputs without outliers."""

import torch
from torch import Tensor, nn

from traindx.change import Change
from traindx.surgery.operation import Operation
from traindx.surgery.program import Program

_BATCHES = 10
_DEVIATION = 1.4826
"""Standard deviations in a median distance from the median, of a normal distribution."""


def begin(program: Program, change: Change) -> None:
    """Cut what lies more deviations from the middle than a number; middle and deviation by medians."""
    far = change.number
    first: dict[int, list[Tensor]] = {}
    limits: dict[int, tuple[Tensor, Tensor]] = {}

    def cut(model: nn.Module, args: tuple[object, ...]) -> tuple[object, ...] | None:
        values = args[0] if args else None
        if not isinstance(values, Tensor) or not values.is_floating_point() or values.dim() < 2:
            program.refuse(change, "the model is not given rows of decimal numbers")
            return None
        seen = first.setdefault(id(model), [])
        if len(seen) < _BATCHES:
            seen.append(values.detach().movedim(1, -1).flatten(0, -2))
            limits[id(model)] = _limits(torch.cat(seen), far)
        shape = [1, -1, *[1] * (values.dim() - 2)]
        low, high = (one.view(shape) for one in limits[id(model)])
        inside = torch.minimum(torch.maximum(values, low), high)
        if bool((inside != values).any()):
            program.applied(change, f"inputs more than {far:g} deviations from their median are cut")
        return (inside, *args[1:])

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
