"""Where the gradient became NaN or infinite though the loss was finite, told from the shape of the graph.

The backward pass frees the saved tensors but neither the nodes nor their edges. With the gradients of the
parameters these tell between which layers the gradient broke, and which operation there has a derivative
without bound.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from torch import Tensor
from torch.autograd.graph import Node

from traindx.recorder.graph.nodes import is_leaf, nodes_behind, operands, operation_of
from traindx.recorder.graph.operations import Steepness, is_loss, leaves_out, point_of, steepness
from traindx.recorder.graph.origin import Direction, Origin, Source, layer_of

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
    found = [
        (operand, node)
        for node in order
        for operand in operands(node)
        if is_leaf(operand) and id(operand.variable) in ill
    ]
    return max(found, key=lambda pair: pair[1]._sequence_nr()) if found else None


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
