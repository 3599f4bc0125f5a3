"""What the saved tensors tell about the values that flowed through a graph.

A node seldom keeps its own result, but the node that used the result often keeps its input. A saved tensor
knows the node that made it, so both tell the value of that node's output.
"""

from torch import Tensor
from torch.autograd.graph import Node

from traindx.recorder.graph.census import is_finite
from traindx.recorder.graph.kinds import NORMALISATIONS
from traindx.recorder.graph.nodes import is_leaf, operation_of
from traindx.recorder.graph.saved import UNREADABLE, Saved, is_readable, saved_by, saved_value

Output = tuple[Node, int]
"""A node and the number of one of its outputs."""

RESULTS = frozenset("result result0 result1 result2 result3 output logsumexp inverse LU buffer".split())
"""Names of saved tensors that the node made itself, where the tensor does not say so."""


class Evidence:
    """The part of a graph through which values that are not finite may have reached the loss."""

    def __init__(self) -> None:
        """Begin with nothing known."""
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
    elif operation_of(node) in NORMALISATIONS:
        evidence.statistics[node] = saved


def _is_unused(node: Node, saved: Saved) -> bool:
    # Batch normalisation keeps its running statistics even while it uses those of the batch.
    return saved.name.startswith("running_") and saved_value(node, "training") is True
