"""Which tensors of a program may be read, and how to compute with them.

`plain` gives ordinary memory and ordinary numbers without rules of their own; `legible` gives labels, tokens
and masks as well. Of a distributed tensor only this process' shard is read: never a collective, which would
hang the others.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from operator import attrgetter
from weakref import WeakKeyDictionary

import torch
from torch import Tensor
from torch._C._functorch import is_functorch_wrapped_tensor
from torch.nn import Parameter

from traindx.recorder.probes.types import Update

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
    value = parameter.grad
    if value is None:
        return None
    if type(value) is Tensor and value.layout is torch.sparse_coo:
        # Rows that occur twice are added up before their norm is taken; on a device that would wait for it.
        value = value.coalesce()._values() if value.is_cpu else value._values()
    return plain(value)


def _is_distributed(kind: type) -> bool:
    return kind.__name__ == "DTensor" and kind.__module__.startswith("torch.distributed")


def legible(tensor: Tensor) -> Tensor | None:
    """The tensor without graph and subclass; None if it is empty, complex, sparse, or without memory here."""
    kind = type(tensor)
    if kind is not Tensor and kind is not Parameter:
        # A subclass with a dispatch of its own may talk to other processes or have no memory at all.
        if kind.__torch_dispatch__ is not Tensor.__torch_dispatch__:
            return None
        with torch._C.DisableTorchFunctionSubclass():
            tensor = tensor.detach().as_subclass(Tensor)
    if is_functorch_wrapped_tensor(tensor):
        return None
    values = plain(tensor) if tensor.is_floating_point() else _whole_numbers(tensor)
    return None if values is None else values.detach()


def _whole_numbers(tensor: Tensor) -> Tensor | None:
    if tensor.is_complex() or tensor.is_quantized:
        return None
    in_memory = tensor.layout is torch.strided and not tensor.is_nested and tensor.data_ptr()
    return tensor if in_memory else None


_DEVICES = ("cpu", "cuda", "mps", "xpu")


@contextmanager
def reckoning() -> Iterator[None]:
    """A stretch of code without graph and without autocast, which would change our types."""
    casting = [device for device in _DEVICES if torch.is_autocast_enabled(device)]
    for device in casting:
        torch.set_autocast_enabled(device, False)
    try:
        with torch.no_grad():
            yield
    finally:
        for device in casting:
            torch.set_autocast_enabled(device, True)


@dataclass(frozen=True, eq=False)
class Gathered:
    """Gradients that may be read."""

    names: list[str]
    """Of the parameters they belong to."""
    values: list[Tensor]


_known: WeakKeyDictionary[Update, Gathered] = WeakKeyDictionary()
"""As long as the update lives, which is while probes are told of it."""


def gradients_of(update: Update) -> Gathered:
    """The gradients that may be read, of sparse ones their values; to be asked within `reckoning`."""
    gathered = _known.get(update)
    if gathered is None:
        gathered = _known[update] = _gathered(update)
    return gathered


def _gathered(update: Update) -> Gathered:
    names, values = list(update.names), [value.grad for value in update.values]
    if any(value is None for value in values) or not are_plain(values):
        both = [
            (name, slope)
            for name, value in zip(names, update.values, strict=True)
            if (slope := gradient(value)) is not None
        ]
        names, values = [name for name, _ in both], [value for _, value in both]
    return Gathered(names, values)
