"""Which layer of the model a place in the graph belongs to."""

from collections.abc import Mapping
from dataclasses import dataclass

from torch.autograd.graph import Node

from traindx.recorder.graph.nodes import VIEWS, is_leaf, nodes_behind, operation_of

PARAMETRIZATIONS = ".parametrizations."
"""Where torch puts the originals of parameters that are computed from others, such as by weight_norm."""


@dataclass(frozen=True)
class Place:
    """The nearest layer with parameters at or before an operation."""

    layer: str
    inside: bool
    """Whether the operation uses the layer's parameters itself."""

    @property
    def says(self) -> str:
        """As the end of a phrase: " in fc2", " after fc2", or nothing."""
        if not self.layer:
            return ""
        return f" in {self.layer}" if self.inside else f" after {self.layer}"


def layer_of(parameter: str) -> str:
    """The layer that owns a parameter: "fc2" for "fc2.weight"; a parameter of the model itself is its own."""
    owner = parameter.partition(PARAMETRIZATIONS)[0]
    if owner != parameter:
        return owner
    return parameter.rpartition(".")[0] or parameter


def layers_used(node: Node, parameters: Mapping[int, str]) -> list[str]:
    """The layers whose parameters the node itself takes: several for one that stands for compiled code."""
    leaves = [operand for operand, _ in node.next_functions if operand is not None and is_leaf(operand)]
    return [layer_of(parameters[id(leaf.variable)]) for leaf in leaves if id(leaf.variable) in parameters]


def place_of(node: Node, parameters: Mapping[int, str]) -> Place:
    """The layer whose parameters were used last before the node's result was there."""
    last, name, user = -1, "", node
    for each in nodes_behind(node):
        for operand, _ in each.next_functions:
            if operand is None or not is_leaf(operand) or id(operand.variable) not in parameters:
                continue
            if each._sequence_nr() >= last:
                last, name, user = each._sequence_nr(), parameters[id(operand.variable)], each
    return Place(layer_of(name), _uses(node, user)) if name else Place("", inside=False)


def _uses(node: Node, user: Node) -> bool:
    """Whether the node is the user of the parameter, or uses it through a view or another number format."""
    return node is user or any(_leads_to(operand, user) for operand, _ in node.next_functions)


def _leads_to(operand: Node | None, user: Node) -> bool:
    while operand is not None and operation_of(operand) in VIEWS:
        if operand is user:
            return True
        operand = operand.next_functions[0][0]
    return False
