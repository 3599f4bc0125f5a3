"""Where a value that is not finite arose: the type of the place, its layer, and the nodes under suspicion."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum

from torch.autograd.graph import Node

from traindx.recorder.graph.nodes import VIEWS, Saved, is_leaf, nodes_behind, operands, operation_of
from traindx.recorder.graph.operations import Readiness


class Direction(Enum):
    """The pass in which the value arose."""

    FORWARD = "forward"
    BACKWARD = "backward"


class Source(Enum):
    """What brought the value in."""

    PARAMETER = "parameter"
    """The model's own parameters or running statistics held it before the pass."""
    INPUT = "input"
    """A tensor the program brought from outside the graph: a batch, a constant."""
    TARGET = "target"
    """What a loss function compares with."""
    OPERATION = "operation"
    """An operation made it from finite values."""
    LOSS = "loss"
    """The loss function made it from finite predictions and targets."""


@dataclass(frozen=True)
class Origin:
    """Where a NaN or an infinity first arose, in one pass."""

    direction: Direction
    operation: str
    """The operation as torch spells it in code: "log", "div", "addmm"."""
    layer: str
    """The nearest layer with parameters at or before the operation; "" if there is none."""
    source: Source
    says: str
    """One sentence with the numbers."""


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
        """As the end of a phrase: " in layer `fc2`", " after layer `fc2`", or nothing."""
        if not self.layer:
            return ""
        return f" {'in' if self.inside else 'after'} layer `{self.layer}`"


def layer_of(parameter: str) -> str:
    """The layer that owns a parameter: "fc2" for "fc2.weight"; a parameter of the model itself is its own."""
    owner = parameter.partition(PARAMETRIZATIONS)[0]
    if owner != parameter:
        return owner
    return parameter.rpartition(".")[0] or parameter


def own_layer(node: Node, names: Mapping[int, str]) -> str | None:
    """The layer of the first parameter that a node takes itself; `names` has the parameters by their id."""
    found = (names.get(id(one.variable)) for one in operands(node) if is_leaf(one))
    name = next((one for one in found if one is not None), None)
    return None if name is None else layer_of(name)


def layers_used(node: Node, parameters: Mapping[int, str]) -> list[str]:
    """The layers whose parameters the node itself takes: several for one that stands for compiled code."""
    leaves = [operand for operand in operands(node) if is_leaf(operand)]
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


@dataclass(frozen=True, eq=False)
class Suspect:
    """A node, or what entered it, that may be the origin."""

    node: Node
    user: Node
    """The node that used it: itself, or for a parameter the first operation that is no view."""
    readiness: Readiness
    proven: bool
    """Whether its output or the constant was seen to be bad, with nothing bad before it."""
    sure: bool = True
    """Whether nothing else can have made it; otherwise it is the likeliest of several."""
    constant: Saved | None = None
    """What came from outside the graph, where that is at fault."""

    @property
    def moment(self) -> tuple[int, bool]:
        """When it acted in the forward pass; a parameter was there before the batch."""
        return self.user._sequence_nr(), not is_leaf(self.node)

    def used_by(self, node: Node) -> "Suspect":
        """The same suspect as the next node sees it."""
        if is_leaf(self.node) and (self.user is self.node or operation_of(self.user) in VIEWS):
            return replace(self, user=node)
        return self


def first(suspects: list[Suspect]) -> Suspect:
    """The one that acted first."""
    return min(suspects, key=lambda suspect: suspect.moment)


def likeliest(suspects: list[Suspect]) -> Suspect:
    """The one whose operation most readily makes such values; of equals the first."""
    able = [suspect for suspect in suspects if suspect.readiness is not Readiness.NEVER] or suspects
    most = max(suspect.readiness for suspect in able)
    chosen = first([suspect for suspect in able if suspect.readiness is most])
    return replace(chosen, sure=chosen.sure and len(able) == 1)
