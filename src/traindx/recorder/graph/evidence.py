"""What the saved tensors tell about the values that flowed through a graph, and how many are not finite.

A node seldom keeps its own result, but the node that used the result often keeps its input. A saved tensor
knows the node that made it, so both tell the value of that node's output.
"""

import math
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.autograd.graph import Node

from traindx.recorder.graph.nodes import (
    UNREADABLE,
    Saved,
    is_leaf,
    is_readable,
    nodes_behind,
    operands,
    operation_of,
    saved_by,
    saved_value,
)
from traindx.recorder.graph.operations import NORMALIZATIONS

CHUNK_VALUES = 1 << 22
"""Values counted at a time: a mask over a whole activation could be what the device has no room for."""


@dataclass(frozen=True)
class Census:
    """How many values of a tensor are NaN or infinite."""

    nan: int
    infinite: int
    total: int
    first_row: int | None
    """The first index along the first dimension that holds one; None for a single number."""

    @property
    def says(self) -> str:
        """The counts as words: "3 NaN in 64 values"."""
        counts = [f"{self.nan:,} NaN"] if self.nan else []
        if self.infinite:
            counts.append(f"{self.infinite:,} infinite")
        return (
            f"{' and '.join(counts) or 'no NaN'} in {self.total:,} {'value' if self.total == 1 else 'values'}"
        )


def is_finite(value: Tensor) -> bool:
    """Whether no value is NaN or infinite; an empty tensor is finite."""
    if value.numel() == 0:
        return True
    low, high = torch.view_as_real(value).aminmax() if value.is_complex() else value.aminmax()
    return math.isfinite(float(low)) and math.isfinite(float(high))


def count_bad(value: Tensor) -> Census:
    """Count the values that are NaN or infinite."""
    nan = infinite = 0
    first_row: int | None = None
    rows = 0
    for part in in_parts(value):
        bad = part.isfinite().logical_not()
        bad_here, nan_here = int(bad.sum()), int(part.isnan().sum())
        if bad_here and first_row is None and value.dim() > 0:
            first_row = (
                rows + int(bad.flatten(1).any(1).nonzero()[0])
                if part.dim() > 1
                else rows + int(bad.nonzero()[0])
            )
        nan, infinite, rows = nan + nan_here, infinite + bad_here - nan_here, rows + len(part)
    return Census(nan, infinite, value.numel(), first_row)


def in_parts(value: Tensor) -> tuple[Tensor, ...]:
    """The tensor cut along its first dimension into parts of at most CHUNK_VALUES, or of one row."""
    whole = value if value.dim() > 0 else value.reshape(1)
    per_row = max(1, whole.numel() // max(1, len(whole)))
    parts: tuple[Tensor, ...] = whole.split(max(1, CHUNK_VALUES // per_row))
    return parts


Output = tuple[Node, int]
"""A node and the number of one of its outputs."""

RESULTS = frozenset("result result0 result1 result2 result3 output logsumexp inverse LU buffer".split())
"""Names of saved tensors that the node made itself, where the tensor does not say so."""


class Evidence:
    """The part of a graph through which values that are not finite may have reached the loss."""

    def __init__(self) -> None:
        self.suspicious: list[Node] = []
        """Nodes with an output that is not known to be finite, inputs first."""
        self.values: dict[Output, Tensor] = {}
        self.constants: dict[Node, list[Saved]] = {}
        """Per node, what it used that came from outside the graph and is not finite."""
        self.statistics: dict[Node, Saved] = {}
        """Per node, a statistic it computed itself that is not finite."""
        self._finite: dict[Output, bool] = {}
        self._used: dict[Node, set[int]] = {}
        self._looked_at: dict[object, bool] = {}

    def is_finite(self, output: Output) -> bool | None:
        """Whether an output is finite; None where its value was not seen."""
        return self._finite.get(output)

    def state(self, node: Node) -> bool | None:
        """Whether the outputs in use are all finite; None where none is bad and one was not seen."""
        known = [self._finite.get((node, number)) for number in self._used.get(node, (0,))]
        if False in known:
            return False
        return None if None in known else True

    def use(self, output: Output) -> None:
        """Note that a suspicious node uses this output."""
        self._used.setdefault(output[0], set()).add(output[1])

    def is_used(self, node: Node) -> bool:
        """Whether a suspicious node uses an output of this node."""
        return node in self._used

    def learn(self, output: Output, value: Tensor) -> None:
        """Note the value of an output; what was seen before stays, what cannot be looked at is left out."""
        if output in self._finite:
            return
        try:
            self._finite[output] = self.looks_finite(value)
        except UNREADABLE:
            return
        self.values[output] = value

    def looks_finite(self, value: Tensor) -> bool:
        """Whether the values are finite; the same memory, which must be kept, is looked at once."""
        layout = tuple(sorted(zip(value.stride(), value.shape, strict=True)))
        key = (value.data_ptr(), value.dtype, layout)
        if key not in self._looked_at:
            self._looked_at[key] = is_finite(value)
        return self._looked_at[key]


def gather(loss: Tensor, order: list[Node]) -> Evidence:
    """Read the saved tensors from the loss back to where all values are finite."""
    evidence = Evidence()
    root = (loss.grad_fn, loss.output_nr)
    evidence.use(root)
    evidence.learn(root, loss.detach())
    for node in reversed(order):
        if not evidence.is_used(node):
            continue
        for saved in _kept_by(node):
            try:
                _place(evidence, node, saved)
            except UNREADABLE:
                continue
        if evidence.state(node):
            continue
        evidence.suspicious.append(node)
        for operand, number in node.next_functions:
            if operand is not None and evidence.is_finite((operand, number)) is not True:
                evidence.use((operand, number))
    evidence.suspicious.reverse()
    return evidence


def _kept_by(node: Node) -> list[Saved]:
    if not is_leaf(node):
        return saved_by(node)
    variable = node.variable
    return [Saved("variable", variable)] if is_readable(variable) else []


def _place(evidence: Evidence, node: Node, saved: Saved) -> None:
    value = saved.value
    if is_leaf(node):
        evidence.learn((node, 0), value)
    elif value.grad_fn is not None:
        evidence.learn((value.grad_fn, value.output_nr), value)
    elif value.requires_grad:
        for operand, _ in node.next_functions:
            if operand is not None and is_leaf(operand) and operand.variable is value:
                evidence.learn((operand, 0), value)
    elif not _is_unused(node, saved) and not evidence.looks_finite(value):
        _place_constant(evidence, node, saved)


def _place_constant(evidence: Evidence, node: Node, saved: Saved) -> None:
    if saved.name not in RESULTS:
        evidence.constants.setdefault(node, []).append(saved)
    elif operation_of(node) in NORMALIZATIONS:
        evidence.statistics[node] = saved


def _is_unused(node: Node, saved: Saved) -> bool:
    # Batch normalization keeps its running statistics even while it uses those of the batch.
    return saved.name.startswith("running_") and saved_value(node, "training") is True


_GIVEN = ("mat1", "input", "self", "input1", "vec")
"""Names under which operations keep what a layer is given."""


def inputs_behind(loss: Tensor) -> list[Tensor]:
    """What the first layer was given from outside the graph; to be called before the backward pass."""
    if loss.grad_fn is None:
        return []
    order = nodes_behind(loss.grad_fn)
    layers = [node for node in order if any(map(is_leaf, operands(node)))]
    for node in sorted(layers, key=lambda layer: layer._sequence_nr()):
        values = [saved.value for saved in saved_by(node) if saved.name in _GIVEN]
        outside = [value.detach() for value in values if value.grad_fn is None and not value.requires_grad]
        if outside:
            return outside
    return []
