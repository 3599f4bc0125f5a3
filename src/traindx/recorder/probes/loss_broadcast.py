"""Whether a loss that is written out by hand pairs every prediction with every target.

A prediction of shape (N, 1) less a target of shape (N,) is a matrix of N by N. Torch's own loss functions
warn of it; what a person writes out does not, and only the shapes in the graph of the loss show it.
"""

from collections.abc import Sequence

from torch import Tensor
from torch.autograd.graph import Node

from traindx.facts import LOSS_SHAPES
from traindx.recorder.graph.nodes import RESHAPES, operation_of
from traindx.recorder.probes.types import LiveParameter, LossCall, Probe, Purpose, Snapshot

_MEETS = frozenset("sub mul".split())
"""Where a prediction meets its target: a difference, or a product as in a cross-entropy written out."""
_AFTERWARDS = (
    RESHAPES
    | _MEETS
    | frozenset(
        "mean sum add div neg pow abs sqrt square exp log log1p clamp clamp_min clamp_max where maximum"
        " minimum softplus sigmoid log_sigmoid smooth_l1_loss huber_loss".split()
    )
)
"""What a loss does to it afterwards, value by value."""
_MOST = 64

Shape = tuple[int, ...]


def stretched(loss: Node) -> tuple[Shape, Shape] | None:
    """The shapes of a prediction and of the target it was stretched to, where all were paired with all."""
    waiting, seen = [loss], {loss}
    while waiting and len(seen) <= _MOST:
        node = waiting.pop()
        operation = operation_of(node)
        if operation not in _AFTERWARDS:
            continue
        if operation in _MEETS:
            found = _paired(node)
            if found is not None:
                return found
        for operand, _ in node.next_functions:
            if operand is not None and operand not in seen:
                seen.add(operand)
                waiting.append(operand)
    return None


def _paired(node: Node) -> tuple[Shape, Shape] | None:
    operands = [one for one in node.next_functions if one[0] is not None]
    # With both sides from the model every sample may be meant to meet every other.
    if len(operands) != 1 or len(node.next_functions) != 2:
        return None
    ours, whole = _shape(*operands[0]), _shape(node, 0)
    if whole is None or len(whole) != 2 or whole[0] != whole[1] or whole[0] < 2:
        return None
    if ours == (whole[0], 1):
        return ours, (whole[0],)
    return (ours, (whole[0], 1)) if ours == (whole[0],) else None


def _shape(node: Node | None, output: int) -> Shape | None:
    """The shape of what a node gave in the forward pass."""
    try:
        return tuple(map(int, node._input_metadata[output].shape))  # type: ignore[union-attr]
    except (
        AttributeError,
        IndexError,
        RuntimeError,
        TypeError,
    ):  # another version of torch, or no plain tensor
        return None


_LOOKS = 3
"""After which the loss is known."""


class LossBroadcast(Probe):
    """Reads the shapes in the graph of the loss at the first looks."""

    def __init__(self) -> None:
        """Begin with nothing seen."""
        self._looks = 0
        self._is_called = False

    def loss_is_computed(self, snapshot: Snapshot, call: LossCall) -> None:
        """Leave losses to the probe that sees them, where torch's own functions compute them."""
        self._is_called |= call.purpose is Purpose.TRAINING

    def backward_begins(self, snapshot: Snapshot, loss: Tensor, parameters: Sequence[LiveParameter]) -> None:
        """State the shapes where one was stretched to the other."""
        if self._is_called or self._looks >= _LOOKS:
            return
        self._looks += 1
        found = None if loss.grad_fn is None else stretched(loss.grad_fn)
        if found is not None:
            snapshot.state(LOSS_SHAPES, f"{found[0]} against {found[1]}")


PROBE = LossBroadcast
