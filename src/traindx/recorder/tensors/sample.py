"""A few values of a large tensor, spread evenly, without copying it; samples side by side; exact norms.

The step between two values has no divisor in common with the number of values: a step of 64 through rows of
64 would see the same unit again and again, a step of 65 sees all in turn.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import gcd, isfinite
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
    for place, sample in enumerate(samples):
        groups.setdefault((sample.shape[0], sample.dtype, sample.device), []).append(place)
    return [Stack(tuple(places), rows_of(samples, places)) for places in groups.values()]


def rows_of(samples: Sequence[Tensor], places: Sequence[int]) -> Tensor:
    """Copies of the samples at these places, one per row."""
    rows = torch.stack([samples[place] for place in places])
    return rows.float() if rows.dtype in HALF else rows


def numbers(vector: Tensor) -> Sequence[float | Tensor]:
    """The values of a vector; from a device as tensors of one value, which wait for nothing."""
    found: Sequence[float | Tensor] = vector.tolist() if vector.is_cpu else vector.unbind()
    return found


def number(scalar: Tensor) -> float | Tensor:
    """The value of a tensor of one value; on a device the tensor itself, which waits for nothing."""
    return float(scalar) if scalar.is_cpu else scalar


def norms(tensors: Sequence[Tensor]) -> list[float | Tensor]:
    """The Euclidean norm of each: a number from the CPU, a tensor of one value from a device."""
    groups: dict[tuple[torch.dtype, torch.device], list[int]] = {}
    for place, tensor in enumerate(tensors):
        groups.setdefault((tensor.dtype, tensor.device), []).append(place)
    found: list[float | Tensor] = [0.0] * len(tensors)
    for (dtype, device), places in groups.items():
        members = tensors if len(groups) == 1 else [tensors[place] for place in places]
        # Half precision overflows at 65,504.
        results = torch._foreach_norm(members, 2, torch.float32 if dtype in HALF else None)
        values = numbers(torch.stack(results)) if device.type == "cpu" else results
        for place, value in zip(places, values, strict=True):
            found[place] = value
    return [_checked(value, tensor) for value, tensor in zip(found, tensors, strict=True)]


def _checked(norm: float | Tensor, tensor: Tensor) -> float | Tensor:
    """The norm again in double precision where squares alone may have overflowed."""
    if not isinstance(norm, float) or isfinite(norm):
        return norm
    return float(torch.linalg.vector_norm(tensor, dtype=torch.float64))
