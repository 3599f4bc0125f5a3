"""What the graph behind a prediction shows of a model's design, whatever it is written with."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from torch import Tensor
from torch.autograd.graph import Node

from traindx.recorder.graph.loss_head import ACTIVATIONS
from traindx.recorder.graph.nodes import VIEWS, is_leaf, nodes_behind, operation_of
from traindx.recorder.graph.operations import NORMALIZATIONS
from traindx.recorder.graph.origin import layers_used, place_of

_PRODUCTS = frozenset("mm addmm bmm baddbmm mv conv linear".split())
_JOINS = frozenset(("add", "cat", "stack"))
_MOST_NODES = 20_000
"""A larger graph is left alone: it would take seconds."""
_WRONG_AFTER = {
    "relu": ("relu", "leaky_relu", "gelu", "sigmoid", "softmax"),
    "sigmoid": ("relu", "sigmoid", "softmax"),
    "tanh": ("tanh",),
    "softmax": ("relu", "sigmoid", "softmax"),
    "log_softmax": ("relu", "sigmoid", "softmax"),
}
"""Of an activation, those whose values it undoes, cuts off or repeats."""


@dataclass(frozen=True)
class Doubled:
    """An activation applied to what another one gave."""

    first: str
    second: str
    layer: str
    """The last layer with parameters before them."""


@dataclass(frozen=True)
class GraphShape:
    """The design of a model as one prediction shows it."""

    plain_depth: int
    """Different weight matrices in the longest chain without a normalization or a join."""
    doubled: tuple[Doubled, ...]
    hidden_sigmoids: tuple[str, ...]
    """Layers whose sigmoid enters a further layer; gates, which multiply, are left out."""


def graph_shape(prediction: Tensor, names: Mapping[int, str]) -> GraphShape | None:
    """What lies behind a prediction; None where its graph cannot be read."""
    nodes = _graph(prediction)
    if not nodes:
        return None
    users = _users(nodes)
    sigmoids = [node for node in nodes if operation_of(node) == "sigmoid" and _enters_layer(node, users)]
    return GraphShape(
        plain_depth=_plain_depth(nodes),
        doubled=tuple(dict.fromkeys(_doubled(nodes, names))),
        hidden_sigmoids=tuple(dict.fromkeys(place_of(node, names).layer for node in sigmoids)),
    )


def normalized_layers(loss: Tensor, names: Mapping[int, str]) -> frozenset[str]:
    """Layers whose product with their weights goes into a normalization and nowhere else."""
    nodes = _graph(loss)
    users = _users(nodes)
    normalized = set()
    for node in nodes:
        if operation_of(node) in _PRODUCTS and _enters_only(node, users, NORMALIZATIONS):
            normalized.update(layers_used(node, names) or [place_of(node, names).layer])
    return frozenset(normalized - {""})


def scoring_layers(loss: Tensor, names: Mapping[int, str]) -> frozenset[str]:
    """Layers that make the queries and keys of attention.

    Their gradient is next to nothing as long as attention is even, as it is at first, at any depth.
    """
    scoring: set[str] = set()
    for node in _graph(loss):
        operands = [operand for operand, _ in node.next_functions]
        if operation_of(node) == "scaled_dot_product_attention":
            scoring.update(_products_behind(operands[:2], names))
        elif operation_of(node) == "softmax":
            for product in _next_products(operands):
                factors = [operand for operand, _ in product.next_functions]
                # Scores are made of two things that depend on the input; a layer's own weights are none.
                if not layers_used(product, names) and operation_of(product) in ("bmm", "baddbmm", "mm"):
                    scoring.update(_products_behind(factors[-2:], names))
    return frozenset(scoring - {""})


def _graph(value: Tensor) -> list[Node]:
    return nodes_behind(value.grad_fn, _MOST_NODES) if value.grad_fn is not None else []


def _next_products(starts: Iterable[Node | None]) -> list[Node]:
    """The nearest products of matrices behind some nodes."""
    waiting = [start for start in starts if start is not None]
    visited, products = set(waiting), []
    while waiting:
        node = waiting.pop()
        if operation_of(node) in _PRODUCTS:
            products.append(node)
            continue
        fresh = [operand for operand in _operands(node) if operand not in visited]
        visited.update(fresh)
        waiting += fresh
    return products


def _products_behind(starts: Iterable[Node | None], names: Mapping[int, str]) -> Iterator[str]:
    for product in _next_products(starts):
        yield from layers_used(product, names) or [place_of(product, names).layer]


def _enters_only(node: Node, users: Mapping[Node, list[Node]], operations: frozenset[str]) -> bool:
    waiting, ends = list(users.get(node, [])), []
    while waiting:
        user = waiting.pop()
        if operation_of(user) in VIEWS:
            waiting += users.get(user, [])
        else:
            ends.append(user)
    return bool(ends) and all(operation_of(end) in operations for end in ends)


def _users(nodes: list[Node]) -> dict[Node, list[Node]]:
    """What takes the result of each node."""
    users: dict[Node, list[Node]] = {}
    for node in nodes:
        for operand in _operands(node):
            users.setdefault(operand, []).append(node)
    return users


def _operands(node: Node) -> Iterator[Node]:
    return (operand for operand, _ in node.next_functions if operand is not None)


def _plain_depth(nodes: list[Node]) -> int:
    """Nodes come inputs first, so each finds the chains of what it uses."""
    chains: dict[Node, frozenset[Node]] = {}
    weights: dict[Node, Node] = {}
    """Of what is made of one parameter alone, the parameter."""
    for node in nodes:
        operation, operands = operation_of(node), list(_operands(node))
        if is_leaf(node):
            weights[node] = node
            continue
        data = [operand for operand in operands if operand not in weights]
        if not data and operation in VIEWS and operands:
            weights[node] = weights[operands[0]]
            continue
        longest = max((chains.get(parent, frozenset()) for parent in data), key=len, default=frozenset())
        if operation in NORMALIZATIONS or (operation in _JOINS and len(data) > 1):
            longest = frozenset()
        if operation in _PRODUCTS:
            longest |= frozenset(
                weights[operand]
                for operand in operands
                if operand in weights and weights[operand].variable.dim() > 1
            )
        chains[node] = longest
    return max(map(len, chains.values()), default=0)


def _doubled(nodes: list[Node], names: Mapping[int, str]) -> Iterator[Doubled]:
    for node in nodes:
        operation = operation_of(node)
        if operation not in ACTIVATIONS:
            continue
        before = next(_operands(node), None)
        while before is not None and operation_of(before) in VIEWS:
            before = next(_operands(before), None)
        inner = operation_of(before) if before is not None else ""
        if inner in _WRONG_AFTER.get(operation, ()):
            yield Doubled(inner, operation, place_of(node, names).layer)


def _enters_layer(node: Node, users: Mapping[Node, list[Node]]) -> bool:
    """Whether what a node gives is multiplied with weights, and by no other data on the way."""
    waiting, visited = list(users.get(node, [])), {node}
    entered = False
    while waiting:
        user = waiting.pop()
        operation = operation_of(user)
        if user in visited:
            continue
        visited.add(user)
        if operation == "mul" and len(list(_operands(user))) > 1:
            return False
        if operation in _PRODUCTS:
            entered = True
        elif operation in VIEWS or operation in ("mul", "dropout", *NORMALIZATIONS):
            waiting += users.get(user, [])
    return entered
