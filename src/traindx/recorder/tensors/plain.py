"""The tensors of a program that may be read: ordinary memory, ordinary numbers, no rules of their own.

Of a distributed tensor only this process' shard is read: never a collective, which would hang the others.
"""

from collections.abc import Sequence
from operator import attrgetter

import torch
from torch import Tensor
from torch.nn import Parameter

_FLOATS = frozenset((torch.float16, torch.bfloat16, torch.float32, torch.float64))
"""Narrower ones cannot be reckoned with."""
_KINDS = frozenset((Tensor, Parameter))
_TRAITS = attrgetter("dtype", "layout", "is_nested")


def plain(value: Tensor) -> Tensor | None:
    """The tensor itself or its local shard; None if it may not be read or holds no floating-point number."""
    kind = type(value)
    if kind not in _KINDS:
        if not _is_distributed(kind):
            return None
        value = value._local_tensor
        if type(value) is not Tensor:
            return None
    if value.dtype not in _FLOATS or value.layout is not torch.strided or value.is_nested:
        return None
    # No memory at all: empty, on the meta device, or freed while its shards are elsewhere.
    return value if value.data_ptr() else None


def are_plain(values: Sequence[Tensor]) -> bool:
    """Whether `plain` gives every one of them as it is, asked of all at once."""
    if not _KINDS.issuperset(map(type, values)):
        return False
    for dtype, layout, is_nested in set(map(_TRAITS, values)):
        if dtype not in _FLOATS or layout is not torch.strided or is_nested:
            return False
    return all(map(Tensor.data_ptr, values))


def are_whole(values: Sequence[Tensor]) -> bool:
    """Whether all may be read as they are and lie in memory in order, without gaps."""
    return are_plain(values) and all(map(Tensor.is_contiguous, values)) and all(map(Tensor.dim, values))


def gradient(parameter: Tensor) -> Tensor | None:
    """The gradient of a parameter, of a sparse one its values; None if there is none that may be read."""
    found = parameter.grad
    if found is None:
        return None
    if type(found) is Tensor and found.layout is torch.sparse_coo:
        # Rows that occur twice are added up before their norm is taken; on a device that would wait for it.
        found = found.coalesce()._values() if found.is_cpu else found._values()
    return plain(found)


def _is_distributed(kind: type) -> bool:
    return kind.__name__ == "DTensor" and kind.__module__.startswith("torch.distributed")
