"""Sigmoids that only scale other values, as gates of GLUs, highways and squeeze-and-excitation blocks do.

What comes out of a gate enters no layer by itself: it may be small or at its ends as it likes, because the
gradient of what it scales passes it by.
"""

from collections.abc import Set

from torch import Tensor
from torch.autograd.graph import Node

from traindx.recorder.graph.nodes import VIEWS, operands, operation_of, saved_value


class Gates:
    """Finds them among the nodes of a graph, which are given inputs first."""

    def __init__(self) -> None:
        self._sigmoids: dict[Node, Node] = {}
        """Sigmoids, and what is their value still, with the sigmoid."""
        self._scaling: set[Node] = set()
        self._entering: set[Node] = set()
        """Those that something else is computed from."""

    def add(self, node: Node) -> None:
        """See what one more node does with the sigmoids before it."""
        operation = operation_of(node)
        if operation == "sigmoid":
            self._sigmoids[node] = node
        for sigmoid in {self._sigmoids[operand] for operand in operands(node) if operand in self._sigmoids}:
            if operation in VIEWS or (operation in ("mul", "sub") and _is_with_number(node)):
                self._sigmoids[node] = sigmoid
            elif operation == "mul":
                self._scaling.add(sigmoid)
            else:
                self._entering.add(sigmoid)

    @property
    def outputs(self) -> Set[int]:
        """Where their values lie in memory."""
        kept = (saved_value(node, "result") for node in self._scaling - self._entering)
        return {value.data_ptr() for value in kept if isinstance(value, Tensor)}


def _is_with_number(node: Node) -> bool:
    """Whether the other operand is a single number, as in 1 - gate: nothing is scaled yet."""
    if len(operands(node)) > 1:
        return False
    factors = (saved_value(node, "self"), saved_value(node, "other"))
    return not any(isinstance(factor, Tensor) and factor.dim() for factor in factors)
