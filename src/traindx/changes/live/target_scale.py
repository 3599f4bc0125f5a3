"""Mean and deviation of targets, as the first batch shows them."""

from dataclasses import dataclass

import torch
from torch import Tensor

_LEAST = 1e-12
_COLUMNS, _ROWS = 32, 8
"""Columns up to which each is a quantity in a unit of its own, and rows that it takes to know them."""
_STILL = 1e-3
"""A column that varies by less than this share of the others is held against them, not against itself."""


@dataclass(frozen=True, eq=False)
class TargetScale:
    """What is taken from targets and what they are divided by; one number, or one for each column."""

    mean: Tensor
    deviation: Tensor

    def standardized(self, values: Tensor) -> Tensor:
        """Values in units of the deviation."""
        return (values - self.mean.to(values)) / self.deviation.to(values)

    def restored(self, values: Tensor) -> Tensor:
        """Values in their own unit."""
        return values * self.deviation.to(values) + self.mean.to(values)

    def __str__(self) -> str:
        if self.mean.dim() == 0:
            return f"mean {float(self.mean):.3g}, deviation {float(self.deviation):.3g}"
        low, high = float(self.deviation.min()), float(self.deviation.max())
        return f"{len(self.mean)} columns, deviations of {low:.3g} to {high:.3g}"


def scale_of(targets: Tensor) -> TargetScale | None:
    """The scale of a batch of targets; None where they are all the same."""
    values = targets.detach().float()
    whole = values.std() if values.numel() > 1 else torch.zeros(())
    if not float(whole) > _LEAST:
        return None
    if values.dim() != 2 or not 1 < values.shape[1] <= _COLUMNS or len(values) < _ROWS:
        return TargetScale(values.mean(), whole)
    deviations = values.std(0)
    return TargetScale(values.mean(0), deviations.clamp_min(_STILL * float(deviations.max())))
