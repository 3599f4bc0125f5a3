"""The nodes of an autograd graph, in order, and the names of their operations."""

import re
from functools import cache

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
    seen = {root}
    path = [(root, iter(root.next_functions))]
    while path:
        node, operands = path[-1]
        for operand, _ in operands:
            if operand is None:
                continue
            if len(path) + depths.get(operand, 0) > MAX_DEPTH or len(seen) > limit:
                return []
            if operand not in seen:
                seen.add(operand)
                path.append((operand, iter(operand.next_functions)))
                break
        else:
            depths[node] = 1 + max(
                (depths[operand] for operand, _ in node.next_functions if operand), default=0
            )
            path.pop()
    return list(depths)


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
