"""What is added to the loss for the weights alone, such as an L1 or L2 penalty written by hand.

A term of a sum is a penalty where its graph leads to parameters and through nothing that meets data: no
product of matrices, no layer. It is told as the largest share of the loss that it was at a look: a penalty
that is too strong shrinks the weights at once, and is small from then on.
"""

from collections.abc import Iterator, Sequence
from typing import final

from torch import Tensor
from torch.autograd.graph import Node

from traindx.facts import PENALTY_SHARE
from traindx.recorder.graph.loss_head import divisor_of
from traindx.recorder.graph.nodes import VIEWS, is_leaf, operands, operation_of
from traindx.recorder.probes.types import LiveParameter, LossCall, Probe, Purpose, Snapshot
from traindx.recorder.tensors.access import reckoning

_ADDS = frozenset("add stack view alias to".split())
"""What joins the terms of a loss, and what leaves the sum as it is."""
_OF_WEIGHTS = VIEWS | frozenset("abs pow sum mean norm mul div add sub neg sqrt sign cat stack clone".split())
"""What a penalty is made of."""
_MOST_NODES = 4096
_LOOKS = 20


@final
class Penalty(Probe):
    """States the share of the loss that is a penalty on the weights."""

    def __init__(self) -> None:
        self._values: list[float] = []
        self._step = self._looks = 0
        self._largest = 0.0

    def loss_is_computed(self, snapshot: Snapshot, call: LossCall) -> None:
        """Remember what loss functions gave in this step."""
        if call.purpose is not Purpose.TRAINING or self._looks >= _LOOKS:
            return
        if snapshot.step != self._step:
            self._step = snapshot.step
            self._values.clear()
        if call.value.grad_fn is not None and call.value.is_floating_point() and call.value.numel():
            with reckoning():
                self._values.append(float(call.value.float().mean()))

    def backward_begins(self, snapshot: Snapshot, loss: Tensor, parameters: Sequence[LiveParameter]) -> None:
        """State what is more than the loss function gave, if the graph shows a penalty."""
        values, self._values = self._values, []
        if self._looks >= _LOOKS or len(values) != 1 or loss.grad_fn is None or loss.numel() != 1:
            return
        self._looks += 1
        terms = list(_terms(_before_division(loss.grad_fn)))
        penalties = sum(map(_is_of_weights, terms))
        total = float(loss.detach()) * (divisor_of(loss) or 1.0)
        # One term is the loss function's, and all others are penalties.
        if not penalties or penalties != len(terms) - 1 or not 0 <= values[0] < total < float("inf"):
            return
        share = 1 - values[0] / total
        if share > self._largest:
            self._largest = share
            snapshot.state(PENALTY_SHARE, share)


def _before_division(loss: Node) -> Node:
    """What was divided, as for accumulated gradients."""
    while operation_of(loss) == "div" and len(operands(loss)) == 1:
        (loss,) = operands(loss)
    return loss


def _terms(loss: Node) -> Iterator[Node]:
    """What a loss is the sum of: sums of penalties count as one term each."""
    waiting = [loss]
    while waiting:
        node = waiting.pop()
        if _joins(node) and not _is_of_weights(node):
            waiting += operands(node)
        else:
            yield node


def _joins(node: Node) -> bool:
    if operation_of(node) == "sum":
        # Keras stacks its terms, and sums the stack.
        return [operation_of(operand) for operand in operands(node)] == ["stack"]
    return operation_of(node) in _ADDS


def _is_of_weights(term: Node) -> bool:
    """Whether a term is computed from parameters alone."""
    visited, waiting = {term}, [term]
    while waiting:
        node = waiting.pop()
        if is_leaf(node):
            continue
        if operation_of(node) not in _OF_WEIGHTS or len(visited) > _MOST_NODES:
            return False
        fresh = [operand for operand in operands(node) if operand not in visited]
        visited.update(fresh)
        waiting += fresh
    return len(visited) > 1
