"""Exact norms of many tensors."""

from collections.abc import Sequence
from math import isfinite

import torch
from torch import Tensor

from traindx.recorder.tensors.stack import HALF, numbers


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
