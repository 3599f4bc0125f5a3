"""A table of rows and columns from a tensor of any shape, and its mean, spread and range."""

from dataclasses import dataclass
from functools import lru_cache
from math import isfinite, prod, sqrt

import torch
from torch import Tensor

EXACT = 1 << 18
"""Values up to which a whole tensor is added up: 12 us in memory order; beyond, the sample has to do."""


def table(tensor: Tensor, rows: int, columns: int) -> Tensor:
    """At most `rows` of the first dimension and `columns` of all others, on the CPU; the type stays.

    Which columns are taken depends on the shape of a row alone, so that batches of different size compare.
    """
    if tensor.dim() < 2:
        return tensor.reshape(-1, 1)[:: step_through(tensor.numel(), rows)].cpu()
    shape = tuple(tensor.shape)
    sample = tensor[(slice(None, None, step_through(shape[0], rows)), *thinned(shape[1:], columns))]
    return sample.reshape(sample.shape[0], -1).cpu()


def step_through(count: int, most: int) -> int:
    """The step that leaves at most `most` of `count`; odd, so that it does not fall in with powers of two."""
    return 1 if count <= most else -(-count // most) | 1


@lru_cache(maxsize=1024)
def thinned(shape: tuple[int, ...], most: int) -> tuple[slice, ...]:
    """One odd step per dimension, wider in the longer ones, that together leave at most `most` positions."""
    if len(shape) == 1:
        return (slice(None, None, step_through(shape[0], most)),)
    steps = [1] * len(shape)
    counts = list(shape)
    while prod(counts) > most:
        widest = counts.index(max(counts))
        steps[widest] = 2 * steps[widest] + 1
        counts[widest] = -(-shape[widest] // steps[widest])
    return tuple(slice(None, None, step) for step in steps)


def nonfinite_share(tensor: Tensor, sample: Tensor) -> float:
    """The share of NaN and infinities: exact for a tensor of moderate size, else that of the sample."""
    seen = tensor if tensor.numel() <= EXACT and tensor.dtype.itemsize > 1 else sample
    # One sum tells that all are finite; only where it is not are they counted.
    total = seen.sum(dtype=None if seen.dtype.itemsize > 2 else torch.float32)
    if isfinite(float(total)):
        return 0.0
    return 1.0 - int(torch.isfinite(seen).sum()) / int(seen.numel())


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
