"""The tensors a node keeps for the backward pass, read without disturbing them."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.autograd.graph import Node

from traindx.recorder.graph.nodes import is_custom

PREFIX = "_saved_"
UNREADABLE = (RuntimeError, TypeError, ValueError, AttributeError, IndexError)
"""What torch raises for a tensor that was freed, changed in place, or of a kind that an operation refuses."""


@dataclass(frozen=True, eq=False)
class Saved:
    """One tensor a node kept, under the name of the argument it was."""

    name: str
    value: Tensor


def saved_by(node: Node) -> list[Saved]:
    """The readable tensors of real or complex numbers the node kept."""
    if is_custom(node):
        return _saved_by_custom(node)
    found = []
    for name in _names(node):
        value = saved_value(node, name)
        if isinstance(value, Tensor) and is_readable(value):
            found.append(Saved(name, value))
    return found


def saved_value(node: Node, name: str) -> object:
    """What the node kept under this name, a tensor or a setting; None where it cannot be read."""
    try:
        raw = getattr(node, f"_raw{PREFIX}{name}", ())
        if _is_hooked(raw if isinstance(raw, Sequence) else (raw,)):
            return None
        value: object = getattr(node, PREFIX + name)
    except UNREADABLE:
        return None
    return None if isinstance(value, Tensor) and not _is_plain(value) else value


def is_readable(value: Tensor) -> bool:
    """Whether the tensor holds real or complex numbers that can be looked at in this process."""
    return bool(_is_plain(value) and value.numel() > 0 and (value.is_floating_point() or value.is_complex()))


def _is_plain(value: Tensor) -> bool:
    # Distributed, fake and other wrapped tensors run code of their own, collective operations included.
    wrapped = type(value).__torch_dispatch__ is not Tensor.__torch_dispatch__
    return bool(not wrapped and value.layout is torch.strided and not value.is_meta)


def _saved_by_custom(node: Node) -> list[Saved]:
    try:
        if _is_hooked(node._raw_saved_tensors):
            return []
        values = node.saved_tensors
    except UNREADABLE:
        return []
    return [
        Saved(f"saved tensor {position}", value)
        for position, value in enumerate(values, start=1)
        if isinstance(value, Tensor) and is_readable(value)
    ]


def _is_hooked(raw: Sequence[object]) -> bool:
    # Unpacking through a hook runs foreign code: a checkpoint would compute its forward pass again.
    # A torch too old to tell counts as hooked.
    return any(getattr(each, "unpack_hook", ...) is not None for each in raw)


def _names(node: Node) -> tuple[str, ...]:
    kind = type(node)
    if kind not in _NAMES:
        present = set(dir(kind))
        saved = sorted(name for name in present if name.startswith(PREFIX) and f"_raw{name}" in present)
        _NAMES[kind] = tuple(name.removeprefix(PREFIX) for name in saved)
    return _NAMES[kind]


_NAMES: dict[type, tuple[str, ...]] = {}
"""Per class of node, the names of the tensors it keeps: listing attributes is slow, classes are few."""
