"""Attention in a graph: what its nodes kept of scores and weights, and the layer they belong to."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from torch import Tensor
from torch.autograd.graph import Node

from traindx.recorder.graph.nodes import (
    UNREADABLE,
    VIEWS,
    is_leaf,
    is_readable,
    operands,
    operation_of,
    saved_value,
)
from traindx.recorder.graph.origin import own_layer
from traindx.recorder.graph.recompute import integer

_PRODUCTS = {"bmm": (0, 1), "mm": (0, 1), "baddbmm": (1, 2), "addmm": (1, 2)}
"""Products of matrices, and which of their operands are multiplied."""
_BETWEEN = VIEWS | frozenset("mul div add sub masked_fill where tanh".split())
"""What scores pass between the product of queries and keys and the softmax."""
_HIDES = frozenset("add sub baddbmm addmm".split())
"""Operations that may add a mask, and do not keep it."""
_FARTHEST = 32
"""Operations between the two."""


@dataclass(frozen=True, eq=False)
class Fused:
    """One operation that does it all; weights are not kept, queries and keys are."""

    layer: str
    query: Tensor
    key: Tensor
    mask: Tensor | None
    is_causal: bool
    scale: float


@dataclass(frozen=True, eq=False)
class Spelled:
    """A softmax over the products of queries and keys; its result is kept."""

    layer: str
    weights: Tensor
    is_masked: bool
    """Whether some weights may be zero by intention."""
    mask: Tensor | None
    """True where they are, if that is known."""


def attentions(nodes: Sequence[Node], names: Mapping[int, str]) -> Iterator[Fused | Spelled]:
    """The attention among nodes that are given inputs first; `names` has the parameters by their id."""
    users: dict[Node, tuple[int, str]] = {}
    for node in nodes:
        own = own_layer(node, names)
        found_users = [users[operand] for operand in operands(node) if operand in users]
        user = max(found_users, default=None) if own is None else (node._sequence_nr(), own)
        if user is None:
            continue
        users[node] = user
        operation = operation_of(node)
        found: Fused | Spelled | None = None
        if operation == "scaled_dot_product_attention":
            found = _fused(node, user[1])
        elif operation == "softmax":
            found = _spelled(node, user[1])
        if found is not None:
            yield found


def _fused(node: Node, layer: str) -> Fused | None:
    query, key = saved_value(node, "query"), saved_value(node, "key")
    if not isinstance(query, Tensor) or not isinstance(key, Tensor):
        return None
    if not is_readable(query) or not is_readable(key) or query.dim() != 4 or key.dim() != 4:
        return None
    masks = [saved_value(node, name) for name in ("attn_mask", "attn_bias")]
    mask = next((one for one in masks if isinstance(one, Tensor) and one.numel()), None)
    scale = saved_value(node, "scale")
    return Fused(
        layer=layer,
        query=query,
        key=key,
        mask=mask,
        is_causal=saved_value(node, "is_causal") is True,
        scale=float(scale) if isinstance(scale, int | float) else float(query.shape[-1]) ** -0.5,
    )


def _spelled(node: Node, layer: str) -> Spelled | None:
    weights = saved_value(node, "result")
    if not isinstance(weights, Tensor) or not is_readable(weights) or weights.dim() < 2:
        return None
    try:
        if integer(node, "dim") not in (-1, weights.dim() - 1):
            return None
    except UNREADABLE:
        return None
    passed = _way_to_product(node)
    if passed is None:
        return None
    masks = [one for one in passed if operation_of(one) in ("masked_fill", "where")]
    kept = saved_value(masks[0], "mask") if masks and operation_of(masks[0]) == "masked_fill" else None
    hidden = len(masks) > 1 or any(_adds_constant(one) for one in passed)
    return Spelled(
        layer=layer,
        weights=weights,
        is_masked=bool(masks) or hidden,
        mask=kept if isinstance(kept, Tensor) and not hidden else None,
    )


def _way_to_product(softmax: Node) -> list[Node] | None:
    """The operations from a product of queries and keys to the softmax; None where there is no product."""
    passed: list[Node] = []
    node = softmax.next_functions[0][0]
    while node is not None and len(passed) < _FARTHEST:
        passed.append(node)
        operation = operation_of(node)
        if operation in _PRODUCTS:
            factors = [node.next_functions[place][0] for place in _PRODUCTS[operation]]
            return passed if all(map(_depends_on_data, factors)) else None
        if operation not in _BETWEEN:
            return None
        node = next((operand for operand, _ in node.next_functions if _depends_on_data(operand)), None)
    return None


def _depends_on_data(operand: Node | None) -> bool:
    """Whether it is more than a parameter or a constant."""
    while operand is not None and operation_of(operand) in VIEWS and operand.next_functions:
        operand = operand.next_functions[0][0]
    return operand is not None and not is_leaf(operand)


def _adds_constant(node: Node) -> bool:
    """Whether the node adds something from outside the graph, which may be a mask."""
    operation = operation_of(node)
    if operation not in _HIDES:
        return False
    given = [operand for operand, _ in node.next_functions]
    return given[0] is None or (operation in ("add", "sub") and None in given)
