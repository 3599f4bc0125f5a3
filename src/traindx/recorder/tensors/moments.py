"""Mean, spread and range of a table of numbers."""

from dataclasses import dataclass
from math import isfinite, sqrt

import torch
from torch import Tensor


@dataclass(frozen=True)
class Moments:
    """What the finite values of a table are like; its rows are samples."""

    mean: float
    std: float | None
    """How much a column varies from row to row: root mean square over the columns; None with a single row."""
    low: float
    high: float


def moments(table: Tensor) -> Moments | None:
    """The moments of rows by columns of 64-bit floats; None if there is no finite value."""
    sums = table.sum(0)
    mean = float(sums.sum()) / table.numel()
    if not isfinite(mean):
        return _of_finite(table)
    low, high = table.aminmax()
    std = None
    if len(table) > 1:
        std = float(torch.linalg.vector_norm(table - sums / len(table))) / sqrt(table.numel())
    return Moments(mean, std, float(low), float(high))


def _of_finite(table: Tensor) -> Moments | None:
    finite = torch.isfinite(table)
    values = table[finite]
    if not len(values):
        return None
    low, high = values.aminmax()
    holed = table.where(finite, torch.nan)
    deviations = (holed - holed.nanmean(0))[finite]
    std = float(torch.linalg.vector_norm(deviations)) / sqrt(len(values)) if len(table) > 1 else None
    return Moments(float(values.mean()), std, float(low), float(high))
