"""Counting the values of a tensor that are not finite, with little memory."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

CHUNK_VALUES = 1 << 22
"""Values counted at a time: a mask over a whole activation could be what the device has no room for."""


@dataclass(frozen=True)
class Census:
    """How many values of a tensor are NaN or infinite."""

    nan: int
    infinite: int
    total: int
    first_row: int | None
    """The first index along the first dimension that holds one; None for a single number."""

    @property
    def says(self) -> str:
        """The counts as words: "3 NaN of 64 values"."""
        counts = [f"{self.nan:,} NaN"] if self.nan else []
        if self.infinite:
            counts.append(f"{self.infinite:,} infinite")
        return (
            f"{' and '.join(counts) or 'no NaN'} of {self.total:,} {'value' if self.total == 1 else 'values'}"
        )


def is_finite(value: Tensor) -> bool:
    """Whether no value is NaN or infinite; an empty tensor is finite."""
    if value.numel() == 0:
        return True
    low, high = torch.view_as_real(value).aminmax() if value.is_complex() else value.aminmax()
    return math.isfinite(float(low)) and math.isfinite(float(high))


def count_bad(value: Tensor) -> Census:
    """Count the values that are NaN or infinite."""
    nan = infinite = 0
    first_row: int | None = None
    rows = 0
    for part in in_parts(value):
        bad = part.isfinite().logical_not()
        bad_here, nan_here = int(bad.sum()), int(part.isnan().sum())
        if bad_here and first_row is None and value.dim() > 0:
            first_row = (
                rows + int(bad.flatten(1).any(1).nonzero()[0])
                if part.dim() > 1
                else rows + int(bad.nonzero()[0])
            )
        nan, infinite, rows = nan + nan_here, infinite + bad_here - nan_here, rows + len(part)
    return Census(nan, infinite, value.numel(), first_row)


def in_parts(value: Tensor) -> tuple[Tensor, ...]:
    """The tensor cut along its first dimension into parts of at most CHUNK_VALUES, or of one row."""
    whole = value if value.dim() > 0 else value.reshape(1)
    per_row = max(1, whole.numel() // max(1, len(whole)))
    parts: tuple[Tensor, ...] = whole.split(max(1, CHUNK_VALUES // per_row))
    return parts
