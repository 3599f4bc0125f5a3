"""Samples of many tensors side by side, so that one operation serves all of the same length."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

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
