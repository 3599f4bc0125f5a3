"""Which linear layers a graph has, what bends between them, and which follow on another with nothing between.

Every value in a graph is one of three things: made of parameters alone, what a linear layer gave (with
nothing applied since that bends), or anything else. Operations that are not known count as bending, so that
a network is called linear only where every part of it is known to be.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from math import prod

from torch import nn
from torch.autograd.graph import Node

from traindx.recorder.graph.bottlenecks import passed_by_all
from traindx.recorder.graph.loss_head import ACTIVATIONS, TRANSPARENT
from traindx.recorder.graph.nodes import (
    VIEWS,
    is_custom,
    is_leaf,
    nodes_behind,
    operands,
    operation_of,
    saved_value,
)
from traindx.recorder.graph.operations import NORMALIZATIONS
from traindx.recorder.graph.origin import layer_of

MOST_NODES = 20_000
"""Nodes of a larger graph are not classified: it would take a tenth of a second."""

_FACTORS = {
    **dict.fromkeys(("mm", "bmm", "mv", "dot", "vdot", "linear", "conv"), (0, 1)),
    **dict.fromkeys(("addmm", "baddbmm", "addbmm", "addmv", "addr", "sparse_addmm"), (1, 2)),
}
"""Products of matrices, and which of their operands are multiplied; another one is added."""

_SCALINGS = frozenset(("mul", "div"))

_STRAIGHT = VIEWS | frozenset(
    "add sub neg cat stack mean sum nansum cumsum dropout roll flip repeat index index_select gather take "
    "index_put index_add index_copy scatter scatter_add setitem copy masked_fill masked_select "
    "masked_scatter lerp constant_pad_nd reflection_pad1d reflection_pad2d reflection_pad3d "
    "replication_pad1d replication_pad2d replication_pad3d avg_pool2d avg_pool3d adaptive_avg_pool2d "
    "adaptive_avg_pool3d upsample_nearest1d upsample_nearest2d upsample_nearest3d upsample_linear1d "
    "upsample_bilinear2d upsample_bicubic2d upsample_trilinear3d pixel_shuffle pixel_unshuffle im2_col "
    "col2_im as_strided diag diagonal tril triu trace fft_r2c fft_c2r fft_c2c view_as_real "
    "view_as_complex real imag complex conj to_dense to_sparse coalesce ddpsink".split()
)
"""Operations that are linear in what depends on the input."""

_LOOKUPS = frozenset("embedding embedding_bag index index_select gather take".split())
"""Operations that make an input out of a table of parameters."""

_HIDING = frozenset(("CompiledFunction", "CheckpointFunction"))
"""Custom functions that stand for whole parts of a model."""

_MAKING_OUTPUT = TRANSPARENT | ACTIVATIONS | frozenset("exp log add sub neg mul div".split())
"""Operations that turn the result of the last layer into a prediction."""


@dataclass(frozen=True)
class Linearity:
    """The linear layers of a model as a loss sees them."""

    layers: int
    """Matrices and kernels that something is multiplied with, each once however often it is used."""
    bends: int
    """Operations that bend, other than those that only make the output."""
    in_a_row: tuple[str, ...]
    """Layers that follow on another with nothing between that bends."""
    narrow: tuple[str, ...]
    """Layers of few units that everything passes."""


class _Kind(Enum):
    """What a value is made of."""

    WEIGHT = "parameters alone"
    LINEAR = "what a linear layer gave"
    OTHER = "anything else"


def linearity(
    loss: Node, predictions: Collection[int], names: Mapping[int, str], most: int = MOST_NODES
) -> Linearity | None:
    """What lies behind the predictions in the graph of a loss; None where it cannot be seen.

    Predictions are known by the sequence numbers of their nodes. Without any, the model ends at its last use
    of a parameter. `names` has the parameters by their id.
    """
    nodes = nodes_behind(loss, most)
    if not nodes or any(is_custom(node) and operation_of(node) in _HIDING for node in nodes):
        return None
    sorting = _Sorting(names)
    for node in nodes:
        sorting.add(node)
    ends = [node for node in nodes if node._sequence_nr() in predictions]
    within = _behind(ends) - _tail(ends, sorting) if ends else _before_parameters(nodes, sorting)
    # A weight is a part of what uses it, also where the model has no prediction that is known.
    layers = [node for node in sorting.layers if not ends or node in within]
    return Linearity(
        layers=len({sorting.layers[node] for node in layers}),
        bends=sum(node in within for node in sorting.bends),
        in_a_row=tuple(dict.fromkeys(sorting.in_a_row[node] for node in layers if node in sorting.in_a_row)),
        narrow=_narrow(layers, nodes, sorting, names),
    )


_FEW_UNITS, _MOST_NARROW = 16, 32
"""Units of a layer that may be a bottleneck, and how many such layers are looked at: each costs a walk."""


def _narrow(
    layers: Sequence[Node], nodes: Sequence[Node], sorting: "_Sorting", names: Mapping[int, str]
) -> tuple[str, ...]:
    leaves = {node: sorting.layers[node].variable for node in layers}
    few = [node for node, leaf in leaves.items() if id(leaf) in names and min(leaf.shape) <= _FEW_UNITS]
    using = [node for node in nodes if sorting.uses_weight(node)]
    found = passed_by_all(few[:_MOST_NARROW], using, nodes)
    return tuple(dict.fromkeys(layer_of(names[id(leaves[node])]) for node in found))


class _Sorting:
    """Nodes, given inputs first, sorted by what they are."""

    def __init__(self, names: Mapping[int, str]) -> None:
        self._names = names
        self.kinds: dict[Node, _Kind] = {}
        self.weights: dict[Node, Node] = {}
        """Of each node made of parameters alone, the first of them."""
        self.layers: dict[Node, Node] = {}
        """Multiplications with a parameter, and the parameter."""
        self.in_a_row: dict[Node, str] = {}
        """Those that follow on another, under the names of their layers."""
        self.bends: list[Node] = []
        self._bent: set[Node] = set()
        """Those that bend and all that depend on them."""

    def add(self, node: Node) -> None:
        """Sort one more node; all it depends on has been sorted."""
        bends = len(self.bends)
        self.kinds[node] = kind = self._leaf(node) if is_leaf(node) else self._kind(node)
        if len(self.bends) > bends or any(operand in self._bent for operand in operands(node)):
            self._bent.add(node)
        if kind is _Kind.WEIGHT:
            used = [operand for operand, _ in node.next_functions if operand in self.weights]
            self.weights[node] = node if is_leaf(node) else self.weights[used[0]]

    def _passes_by(self, node: Node) -> bool:
        """Whether it joins what a nonlinear branch gave to what passed it by, as a residual block does."""
        data = [operand for operand in operands(node) if self.kinds[operand] is not _Kind.WEIGHT]
        return len({parent in self._bent for parent in data}) > 1

    def uses_weight(self, node: Node) -> bool:
        """Whether the node brings a parameter and something else together, other than terms of the loss."""
        if self.kinds[node] is _Kind.WEIGHT or is_leaf(node) or _size(node, 0) == 1:
            return node in self.layers
        return any(operand in self.weights for operand in operands(node))

    def _leaf(self, node: Node) -> _Kind:
        value = node.variable
        # A program without any optimizer trains what it made itself.
        is_weight = isinstance(value, nn.Parameter) or id(value) in self._names or not self._names
        return _Kind.WEIGHT if is_weight else _Kind.OTHER

    def _kind(self, node: Node) -> _Kind:
        operation = operation_of(node)
        kinds = [None if operand is None else self.kinds[operand] for operand, _ in node.next_functions]
        operation = operation.lower().lstrip("_") if is_custom(node) else operation
        if operation in ("dot", "vdot") and self._measures_weight(node):
            return _Kind.WEIGHT
        if operation in _FACTORS:
            return self._product(node, kinds, _FACTORS[operation])
        if self._is_of_weights(node, operation, kinds):
            return _Kind.OTHER if operation in _LOOKUPS else _Kind.WEIGHT
        if operation in _SCALINGS and not _multiplies_data(operation, kinds):
            return _joined(kinds)
        if operation in _STRAIGHT or _leaks_all(node, operation):
            return _Kind.OTHER if self._passes_by(node) else _joined(kinds)
        if operation not in _LOOKUPS:
            self.bends.append(node)
        return _Kind.OTHER

    def _measures_weight(self, node: Node) -> bool:
        """Whether a parameter between two constant vectors is measured, as spectral_norm does."""
        factors = operands(node)
        if len(factors) != 1 or operation_of(factors[0]) != "mv" or factors[0] not in self.layers:
            return False
        self.weights[factors[0]] = self.layers.pop(factors[0])
        return True

    def _product(self, node: Node, kinds: Sequence[_Kind | None], places: tuple[int, int]) -> _Kind:
        factors = [kinds[position] if position < len(kinds) else None for position in places]
        data = [kind for kind in factors if kind is not _Kind.WEIGHT]
        if not data:
            return _Kind.WEIGHT
        if len(data) == 1:
            index = places[factors.index(_Kind.WEIGHT)]
            operand = node.next_functions[index][0]
            self.layers[node] = leaf = self.weights[operand]
            name = self._names.get(id(leaf.variable))
            if data[0] is _Kind.LINEAR and name is not None:
                self.in_a_row[node] = layer_of(name)
            added = [kind for position, kind in enumerate(kinds) if position not in places]
            return _joined([_Kind.LINEAR, *added])
        if None in data:
            # A constant matrix, such as the edges of a graph, only mixes.
            return _joined(kinds)
        self.bends.append(node)
        return _Kind.OTHER

    def _is_of_weights(self, node: Node, operation: str, kinds: Sequence[_Kind | None]) -> bool:
        known_kinds = [kind for kind in kinds if kind is not None]
        if not known_kinds or any(kind is not _Kind.WEIGHT for kind in known_kinds):
            return False
        if len(known_kinds) == len(kinds) or operation in VIEWS:
            return True
        if operation in NORMALIZATIONS or operation in ("lstm", "rnn"):
            return False
        # What else went in is unseen: a batch makes the result larger than the parameter, a constant not.
        largest = max(_size(operand, index) for operand, index in node.next_functions if operand is not None)
        return _size(node, 0) <= largest


def _leaks_all(node: Node, operation: str) -> bool:
    """Whether it is a leaky ReLU with a slope of 1, by a setting that was mistaken: it changes nothing."""
    return operation == "leaky_relu" and saved_value(node, "negative_slope") == 1


def _multiplies_data(operation: str, kinds: Sequence[_Kind | None]) -> bool:
    """Whether what depends on the input is multiplied with, or divided by, what does too."""
    data = [kind not in (None, _Kind.WEIGHT) for kind in kinds]
    return len(data) > 1 and (all(data) or (operation == "div" and data[-1]))


def _joined(kinds: Iterable[_Kind | None]) -> _Kind:
    data = {kind for kind in kinds if kind not in (None, _Kind.WEIGHT)}
    return _Kind.LINEAR if data == {_Kind.LINEAR} else _Kind.OTHER


def _size(node: Node, index: int) -> int:
    return prod(node.variable.shape if is_leaf(node) else node._input_metadata[index].shape)


def _behind(ends: Sequence[Node]) -> set[Node]:
    reached, waiting = set(ends), list(ends)
    while waiting:
        fresh = [operand for operand in operands(waiting.pop()) if operand not in reached]
        reached.update(fresh)
        waiting += fresh
    return reached


def _tail(ends: Sequence[Node], sorting: _Sorting) -> set[Node]:
    """Operations that only make the predictions out of what the last layers gave."""
    tail: set[Node] = set()
    waiting = list(ends)
    while waiting:
        node = waiting.pop()
        operation = operation_of(node)
        kinds = [sorting.kinds[operand] for operand in operands(node)]
        product = operation == "mul" and _multiplies_data(operation, kinds)
        if node in tail or is_custom(node) or operation not in _MAKING_OUTPUT or product:
            continue
        tail.add(node)
        waiting += operands(node)
    return tail


def _before_parameters(nodes: Sequence[Node], sorting: _Sorting) -> set[Node]:
    """The nodes up to the last uses of parameters."""
    before: set[Node] = set()
    for node in reversed(nodes):
        if node in before or sorting.uses_weight(node):
            before.add(node)
            before.update(operands(node))
    return before
