"""The nodes of an autograd graph, the names of their operations, and the tensors they keep."""

import re
from collections.abc import Container, Sequence
from dataclasses import dataclass
from functools import cache

import torch
from torch import Tensor
from torch.autograd.function import BackwardCFunction
from torch.autograd.graph import Node

MAX_NODES = 100_000
"""Beyond this the graph is left alone: a walk would cost seconds."""

MAX_DEPTH = 5_000
"""Beyond this too: nodes that Python has looked at are freed by recursion, at some 200 bytes of stack each.

Merely looking at a chain of 50,000 nodes makes the program crash when it lets go of its loss (torch 2.13).
"""

LEAF = "AccumulateGrad"

ALIASES = {
    "convolution": "conv",
    "native_layer_norm": "layer_norm",
    "fused_rms_norm": "rms_norm",
    "native_batch_norm": "batch_norm",
    "cudnn_batch_norm": "batch_norm",
    "miopen_batch_norm": "batch_norm",
    "native_group_norm": "group_norm",
    "native_dropout": "dropout",
    "mkldnn_rnn_layer": "lstm",
    "cudnn_rnn": "rnn",
    "linalg_vector_norm": "norm",
    "linalg_det": "det",
    "linalg_inv_ex": "inv",
    "safe_softmax": "softmax",
    "prelu_kernel": "prelu",
    "nll_loss2d": "nll_loss",
    "max_pool2d_with_indices": "max_pool2d",
    "max_pool3d_with_indices": "max_pool3d",
    "unsafe_view": "view",
    "reshape_alias": "view",
    "unsafe_split": "split",
    "weight_norm_interface": "weight_norm",
    "to_copy": "to",
    "rsub": "sub",
    "copy_slices": "setitem",
}
"""Names of kernels whose everyday name differs."""

RESHAPES = frozenset("view squeeze unsqueeze alias clone".split())
"""Operations that keep the values and their order."""

VIEWS = RESHAPES | frozenset(
    "t transpose permute expand select slice split split_with_sizes unbind diagonal unfold to".split()
)
"""Operations that give some or all of their input's values in another shape, order or number format."""


def nodes_behind(root: Node, most: int | None = None) -> list[Node]:
    """The root and every node it depends on, inputs first; empty for a graph beyond the limits."""
    limit = MAX_NODES if most is None else most
    depths: dict[Node, int] = {}
    visited = {root}
    path = [(root, iter(root.next_functions))]
    while path:
        node, operands = path[-1]
        for operand, _ in operands:
            if operand is None:
                continue
            if len(path) + depths.get(operand, 0) > MAX_DEPTH or len(visited) > limit:
                return []
            if operand not in visited:
                visited.add(operand)
                path.append((operand, iter(operand.next_functions)))
                break
        else:
            depths[node] = 1 + max(
                (depths[operand] for operand, _ in node.next_functions if operand), default=0
            )
            path.pop()
    return list(depths)


def operands(node: Node) -> list[Node]:
    """The nodes that a node got what it computed with from."""
    return [operand for operand, _ in node.next_functions if operand is not None]


def seen_through(node: Node | None, passed: Container[str] = VIEWS) -> Node | None:
    """The node whose result is seen through views, or through whatever else is passed by."""
    while node is not None and operation_of(node) in passed and node.next_functions:
        node = node.next_functions[0][0]
    return node


def is_leaf(node: Node) -> bool:
    """Whether the node stands for a tensor that gathers a gradient, such as a parameter."""
    return type(node).__name__ == LEAF


def is_custom(node: Node) -> bool:
    """Whether the node is a torch.autograd.Function written in Python."""
    return isinstance(node, BackwardCFunction)


def operation_of(node: Node) -> str:
    """The plain name of what the node did in the forward pass: "log" for LogBackward0."""
    name = type(node).__name__
    # Functions written in Python keep the name their author gave them.
    return name.removesuffix("Backward") if is_custom(node) else _plain(name)


@cache
def _plain(name: str) -> str:
    stem = re.sub(r"Backwards?\d*$", "", name.rpartition("::")[2])
    snake = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Za-z0-9])(?=[A-Z][a-z])", "_", stem).lower()
    if snake.startswith("scaled_dot_product"):
        return "scaled_dot_product_attention"
    return ALIASES.get(snake, snake)


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
    saved = []
    for name in _names(node):
        value = saved_value(node, name)
        if isinstance(value, Tensor) and is_readable(value):
            saved.append(Saved(name, value))
    return saved


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
