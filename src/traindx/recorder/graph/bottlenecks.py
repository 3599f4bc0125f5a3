"""Layers that everything a loss depends on has to pass.

A layer of few units in a side branch (an adapter, a gate, one of several encoders) narrows nothing:
what it loses goes by.
"""

from collections.abc import Callable, Collection, Iterable, Sequence

from torch.autograd.graph import Node

from traindx.recorder.graph.nodes import is_leaf, operands


def passed_by_all(
    candidates: Iterable[Node], layers: Collection[Node], nodes: Sequence[Node]
) -> Iterable[Node]:
    """Those of some nodes that no other layer is parallel to and nothing goes around."""
    users: dict[Node, list[Node]] = {node: [] for node in nodes}
    for node in nodes:
        for operand in operands(node):
            users[operand].append(node)
    for candidate in candidates:
        before = {node for node in _reached(candidate, operands) if not is_leaf(node)}
        after = _reached(candidate, users.__getitem__)
        around = any(user not in before and user is not candidate for node in before for user in users[node])
        if not around and all(layer in before or layer in after or layer is candidate for layer in layers):
            yield candidate


def _reached(start: Node, following: Callable[[Node], Sequence[Node]]) -> set[Node]:
    reached: set[Node] = set()
    waiting = [*following(start)]
    while waiting:
        node = waiting.pop()
        if node not in reached:
            reached.add(node)
            waiting += following(node)
    return reached
