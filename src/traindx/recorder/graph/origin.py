"""Where a value that is not finite arose: the type of the place, its layer, and the nodes under suspicion.

The backward pass frees the saved tensors but neither the nodes nor their edges. With the gradients of the
parameters these tell between which layers a gradient became NaN or infinite though the loss was finite, and
which operation there has a derivative without bound.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import TypeAlias

from torch import Tensor
from torch.autograd.graph import Node

from traindx.recorder.graph.nodes import VIEWS, Saved, is_leaf, nodes_behind, operands, operation_of
from traindx.recorder.graph.operations import Readiness, Steepness, is_loss, leaves_out, point_of, steepness


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
    names_of_layers = (names.get(id(operand.variable)) for operand in operands(node) if is_leaf(operand))
    name = next((layer for layer in names_of_layers if layer is not None), None)
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


Backtrace: TypeAlias = Node | None
"""The last node of a graph, which keeps the others; nothing more, for it is taken at every step.

Holding it until the optimizer steps holds no activation: the backward pass has freed the saved tensors,
unless it ran with retain_graph. What stays is the nodes, some hundred bytes each, and what a custom Function
set as attributes of its `ctx`. A loop that has its loss in a variable holds the same, and longer.
"""


@dataclass(frozen=True, eq=False)
class _Region:
    """The nodes between the loss and the broken layer nearest to it."""

    leading: list[Node]
    """All that the layer's gradient came through, inputs first."""
    all_broken: frozenset[Node]
    """Those among them behind which every parameter's gradient is broken."""
    left_out_by: Mapping[Node, str]
    """Per node, the operation nearer to the loss that need not have passed its values on."""


def backtrace(loss: Tensor) -> Backtrace:
    """What `backward_origin` needs of a loss: to be taken before its backward pass, dropped at the step."""
    node: Backtrace = loss.grad_fn
    return node


def backward_origin(
    trace: Backtrace, parameters: Mapping[int, str], broken: Collection[int]
) -> Origin | None:
    """Where the gradient broke; None where no parameter of the graph has a gradient that is not finite.

    To be called after the backward pass. `parameters` maps the id of each parameter to its name, `broken`
    holds the ids of those whose gradient is not finite.
    """
    order: list[Node] = [] if trace is None else nodes_behind(trace)
    ill = frozenset(key for key in broken if key in parameters)
    nearest = _nearest(order, ill)
    if nearest is None:
        return None
    leaf, user = nearest
    region = _region(order, user, frozenset(parameters) - ill)
    culprit = max(_candidates(region), key=lambda node: (_weight(node, region), node._sequence_nr()))
    layer = layer_of(parameters[id(leaf.variable)])
    share = f"{len(ill):,} of {len(parameters):,} parameters"
    what = f"gradients of {share} are NaN or infinite, first in layer `{layer}` (closest to the loss)"
    source = Source.LOSS if is_loss(operation_of(culprit)) else Source.OPERATION
    says = f"{what}; {_reason(culprit, region)}"
    return Origin(Direction.BACKWARD, operation_of(culprit), layer, source, says)


def _nearest(order: list[Node], ill: frozenset[int]) -> tuple[Node, Node] | None:
    """The broken parameter that was used last in the forward pass, and what used it."""
    parameters = [
        (operand, node)
        for node in order
        for operand in operands(node)
        if is_leaf(operand) and id(operand.variable) in ill
    ]
    return max(parameters, key=lambda pair: pair[1]._sequence_nr()) if parameters else None


def _region(order: list[Node], user: Node, well: frozenset[int]) -> _Region:
    leading: dict[Node, None] = {user: None}
    sound: set[Node] = set()
    for node in order:
        is_well = is_leaf(node) and id(node.variable) in well
        if is_well or any(operand in sound for operand in operands(node)):
            sound.add(node)
        if any(operand in leading for operand in operands(node)):
            leading[node] = None
    left_out_by: dict[Node, str] = {}
    for node in reversed(leading):
        name = operation_of(node) if leaves_out(node) else left_out_by.get(node, "")
        for operand, _ in node.next_functions:
            if name and operand in leading:
                left_out_by[operand] = name
    return _Region(list(leading), frozenset(node for node in leading if node not in sound), left_out_by)


def _candidates(region: _Region) -> list[Node]:
    """Nodes that break everything behind them, or are next to one that does."""
    nearby = [
        node
        for node in region.leading
        if node in region.all_broken
        or node is region.leading[0]
        or any(operand in region.all_broken for operand, _ in node.next_functions)
    ]
    if any(_weight(node, region) > Steepness.GUARDED for node in nearby):
        return nearby
    # A gradient that broke further up may have been cut to zero on its way to some of the parameters.
    return [node for node in region.leading if _weight(node, region) > Steepness.GUARDED] or nearby


def _weight(node: Node, region: _Region) -> Steepness:
    steep = steepness(node)
    # Its value would have been infinite too, yet the loss was finite: what it gave must have been left out.
    if steep is Steepness.INFINITE_WITH_VALUE and node not in region.left_out_by:
        return Steepness.GUARDED
    return steep


def _reason(culprit: Node, region: _Region) -> str:
    operation, steep = operation_of(culprit), _weight(culprit, region)
    if steep is Steepness.UNKNOWN:
        return f"between it and the loss is the custom backward pass of {operation}"
    if steep < Steepness.GUARDED:
        return "no operation between it and the loss is known to have an infinite derivative"
    says = f"the derivative of {operation} is not finite {point_of(operation)}"
    if culprit not in region.left_out_by:
        return says
    return f"{says}, and {region.left_out_by[culprit]} drops its value but not its gradient"
