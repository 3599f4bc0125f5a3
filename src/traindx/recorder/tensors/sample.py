"""A few values of a large tensor, spread evenly, without copying it; samples side by side; exact norms.

The step between two values has no divisor in common with the number of values: a step of 64 through rows of
64 would see the same unit again and again, a step of 65 sees all in turn.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import gcd, isfinite, prod, sqrt
from typing import NamedTuple

import torch
from torch import Tensor

LIMIT = 1024
"""Values per sample: a mean is right to 3% of the standard deviation, a share to 1.6 points."""
_ROOMY = 4
"""Times the limit from which on a sample has just as many values: those of equal length lie side by side."""


class _Walk(NamedTuple):
    """How to go through the memory of a tensor."""

    counts: tuple[int]
    steps: tuple[int]


def sample(tensor: Tensor, limit: int = LIMIT) -> Tensor:
    """At most `limit` values in one dimension: a view where the memory has no gaps, else a copy."""
    counts, steps = _walk(tensor.numel(), limit)
    if tensor.is_contiguous() or _is_dense(tensor.shape, tensor.stride()):
        return torch.as_strided(tensor, counts, steps)
    positions = torch.arange(0, counts[0] * steps[0], steps[0], device=tensor.device)
    return torch.take(tensor, positions)


def samples_of_rows(rows: Tensor, limit: int = LIMIT) -> Tensor:
    """Of each row of a matrix without gaps the values that `sample` takes of it."""
    counts, steps = _walk(rows.shape[1], limit)
    return torch.as_strided(rows, (rows.shape[0], *counts), (rows.shape[1], *steps)).contiguous()


def every(tensor: Tensor, step: int, first: int) -> Tensor:
    """Each `step`-th value from `first` on: a view where the memory has no gaps, else a copy."""
    numel = tensor.numel()
    if tensor.is_contiguous() or _is_dense(tensor.shape, tensor.stride()):
        count = max(0, -(-(numel - first) // step))
        return torch.as_strided(tensor, (count,), (step,), tensor.storage_offset() + first)
    return torch.take(tensor, torch.arange(min(first, numel), numel, step, device=tensor.device))


@lru_cache(maxsize=4096)
def even_step(numels: tuple[int, ...], limit: int) -> int:
    """The smallest step that leaves `limit` values and has no divisor in common with any of the numbers."""
    step = max(1, -(-sum(numels) // limit))
    different = set(numels)
    while any(gcd(step, numel) != 1 for numel in different):
        step += 1
    return step


@lru_cache(maxsize=4096)
def _walk(numel: int, limit: int) -> _Walk:
    if numel < _ROOMY * limit:
        step = even_step((numel,), limit)
        return _Walk((-(-numel // step),), (step,))
    # Downwards: the last rows may be left out, but the count is the same for all.
    step = numel // limit
    while gcd(step, numel) != 1:
        step -= 1
    return _Walk((limit,), (step,))


@lru_cache(maxsize=4096)
def _is_dense(shape: tuple[int, ...], strides: tuple[int, ...]) -> bool:
    """Whether every place in the memory is one value: transposed and channels-last tensors, but no slices."""
    expected = 1
    for stride, size in sorted(zip(strides, shape, strict=True)):
        if size == 1:
            continue
        if stride != expected:
            return False
        expected *= size
    return True


HALF = (torch.float16, torch.bfloat16)
"""Types too narrow to add up in."""


@dataclass(frozen=True, eq=False)
class Stack:
    """Samples of equal length, one per row, in single precision or better."""

    places: tuple[int, ...]
    """Where each row stood among the samples."""
    rows: Tensor


def stacked(samples: Sequence[Tensor]) -> list[Stack]:
    """Copies of the samples, those of equal length, type and device together."""
    groups: dict[tuple[int, torch.dtype, torch.device], list[int]] = {}
    for index, sample in enumerate(samples):
        groups.setdefault((sample.shape[0], sample.dtype, sample.device), []).append(index)
    return [Stack(tuple(places), rows_of(samples, places)) for places in groups.values()]


def rows_of(samples: Sequence[Tensor], places: Sequence[int]) -> Tensor:
    """Copies of the samples at these places, one per row."""
    rows = torch.stack([samples[index] for index in places])
    return rows.float() if rows.dtype in HALF else rows


def numbers(vector: Tensor) -> Sequence[float | Tensor]:
    """The values of a vector; from a device as tensors of one value, which wait for nothing."""
    values: Sequence[float | Tensor] = vector.tolist() if vector.is_cpu else vector.unbind()
    return values


def number(scalar: Tensor) -> float | Tensor:
    """The value of a tensor of one value; on a device the tensor itself, which waits for nothing."""
    return float(scalar) if scalar.is_cpu else scalar


def norms(tensors: Sequence[Tensor]) -> list[float | Tensor]:
    """The Euclidean norm of each: a number from the CPU, a tensor of one value from a device."""
    groups: dict[tuple[torch.dtype, torch.device], list[int]] = {}
    for index, tensor in enumerate(tensors):
        groups.setdefault((tensor.dtype, tensor.device), []).append(index)
    lengths: list[float | Tensor] = [0.0] * len(tensors)
    for (dtype, device), places in groups.items():
        members = tensors if len(groups) == 1 else [tensors[index] for index in places]
        # Half precision overflows at 65,504.
        results = torch._foreach_norm(members, 2, torch.float32 if dtype in HALF else None)
        values = numbers(torch.stack(results)) if device.type == "cpu" else results
        for index, value in zip(places, values, strict=True):
            lengths[index] = value
    return [_checked(value, tensor) for value, tensor in zip(lengths, tensors, strict=True)]


def _checked(norm: float | Tensor, tensor: Tensor) -> float | Tensor:
    """The norm again in double precision where squares alone may have overflowed."""
    if not isinstance(norm, float) or isfinite(norm):
        return norm
    return float(torch.linalg.vector_norm(tensor, dtype=torch.float64))


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
    checked = tensor if tensor.numel() <= EXACT and tensor.dtype.itemsize > 1 else sample
    # One sum tells that all are finite; only where it is not are they counted.
    total = checked.sum(dtype=None if checked.dtype.itemsize > 2 else torch.float32)
    if isfinite(float(total)):
        return 0.0
    return 1.0 - int(torch.isfinite(checked).sum()) / int(checked.numel())


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
