"""How predictions and targets are compared: the loss function, its settings, and what it is given.

Which activation made the predictions is read from the graph: "none" where another operation did, such as a
linear layer. Where the graph is not to be seen (a compiled model), rows that are shares, all at least 0 and
adding up to 1, tell a softmax, and nothing else is told.

A prediction of shape (N, 1) less a target of shape (N,) is a matrix of N by N: every prediction is paired
with every target. Torch's own loss functions warn of it; what a person writes out does not, and only the
shapes in the graph of the loss show it.
"""

from collections.abc import Sequence
from math import sqrt

import torch
from torch import Tensor
from torch.autograd.function import BackwardCFunction
from torch.autograd.graph import Node

from traindx import facts
from traindx.facts import LOSS_SHAPES
from traindx.recorder.graph.loss_head import TRANSPARENT, activation_before
from traindx.recorder.graph.nodes import RESHAPES, operation_of, seen_through
from traindx.recorder.losses.answers import Answers, answers_of
from traindx.recorder.losses.function import Compares, loss_function
from traindx.recorder.probes.types import LiveParameter, LossCall, Probe, Purpose, Snapshot
from traindx.recorder.tensors.access import legible
from traindx.run import Fact, Scalar

_LOOKS = 3
"""Training batches after which the activation is known."""


class LossFunctionFacts(Probe):
    """States what the loss function is and gets."""

    def __init__(self) -> None:
        self._looks = 0

    def loss_is_computed(self, snapshot: Snapshot, call: LossCall) -> None:
        """State what is known of the loss function of a training batch."""
        if call.purpose is not Purpose.TRAINING:
            return
        self._looks += 1
        stated = _settings(call)
        answers = answers_of(call)
        if answers is not None:
            stated |= _shapes(answers)
            if self._looks <= _LOOKS:
                stated |= _activation(call, answers)
        for fact, value in stated.items():
            snapshot.state(fact, value)


def _settings(call: LossCall) -> dict[Fact, Scalar]:
    settings: dict[Fact, Scalar] = {facts.LOSS_FUNCTION: call.function}
    if isinstance(call.options.get("from_logits"), bool):
        settings[facts.FROM_LOGITS] = bool(call.options["from_logits"])
    prediction = legible(call.prediction) if call.function == "kl_div" else None
    if prediction is not None and prediction.numel() and prediction.is_floating_point():
        settings[facts.KL_INPUT] = float(prediction.float().amax())
    smoothing = call.options.get("label_smoothing")
    if isinstance(smoothing, int | float):
        settings[facts.LABEL_SMOOTHING] = float(smoothing)
    if loss_function(call.function, call.options).compares is not Compares.NUMBERS:
        weights = (call.options.get("weight"), call.options.get("pos_weight"))
        settings[facts.CLASS_WEIGHTS] = any(weight is not None for weight in weights)
    return settings


def _shapes(answers: Answers) -> dict[Fact, Scalar]:
    """The shapes, where the loss stretches one to the other; a single number stretches on purpose."""
    prediction, target = answers.prediction, answers.target
    if prediction.shape == target.shape or not answers.function.broadcasts:
        return {}
    if prediction.numel() == 1 or target.numel() == 1:
        return {}
    return {facts.LOSS_SHAPES: f"{tuple(prediction.shape)} against {tuple(target.shape)}"}


def _activation(call: LossCall, answers: Answers) -> dict[Fact, Scalar]:
    name = activation_before(call.prediction)
    if not name and answers.function.compares is Compares.CLASSES and _are_shares(answers):
        name = "softmax"
    if not name and _is_visible(call.prediction):
        name = "none"
    return {facts.OUTPUT_ACTIVATION: name} if name else {}


def _is_visible(prediction: Tensor) -> bool:
    """Whether the operation that made the values is torch's own, not a function that hides its parts."""
    node = seen_through(prediction.grad_fn, TRANSPARENT)
    return node is not None and not isinstance(node, BackwardCFunction)


def _are_shares(answers: Answers) -> bool:
    """Whether each row of scores is a distribution over classes, as far as its type can hold one."""
    rows = answers.scores
    if rows.shape[1] < 2 or float(rows.amin()) < 0:
        return False
    rounding = float(torch.finfo(answers.prediction.dtype).eps)
    deviation = float((rows.sum(1) - 1).abs().amax())
    return deviation <= 1e-5 + rounding * sqrt(rows.shape[1])


_MEETS = frozenset("sub mul".split())
"""Where a prediction meets its target: a difference, or a product as in a cross-entropy written out."""
_AFTERWARD = (
    RESHAPES
    | _MEETS
    | frozenset(
        "mean sum add div neg pow abs sqrt square exp log log1p clamp clamp_min clamp_max where maximum"
        " minimum softplus sigmoid log_sigmoid smooth_l1_loss huber_loss".split()
    )
)
"""What a loss does to it afterward, value by value."""
_MOST = 64

Shape = tuple[int, ...]


def stretched(loss: Node) -> tuple[Shape, Shape] | None:
    """The shapes of a prediction and of the target it was stretched to, where all were paired with all."""
    waiting, visited = [loss], {loss}
    while waiting and len(visited) <= _MOST:
        node = waiting.pop()
        operation = operation_of(node)
        if operation not in _AFTERWARD:
            continue
        if operation in _MEETS:
            shapes = _paired(node)
            if shapes is not None:
                return shapes
        for operand, _ in node.next_functions:
            if operand is not None and operand not in visited:
                visited.add(operand)
                waiting.append(operand)
    return None


def _paired(node: Node) -> tuple[Shape, Shape] | None:
    operands = [parent for parent in node.next_functions if parent[0] is not None]
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


_BROADCAST_LOOKS = 3
"""After which the loss is known."""


class LossBroadcast(Probe):
    """Reads the shapes in the graph of the loss at the first looks."""

    def __init__(self) -> None:
        self._looks = 0
        self._is_called = False

    def loss_is_computed(self, snapshot: Snapshot, call: LossCall) -> None:
        """Leave losses to the probe that sees them, where torch's own functions compute them."""
        self._is_called |= call.purpose is Purpose.TRAINING

    def backward_begins(self, snapshot: Snapshot, loss: Tensor, parameters: Sequence[LiveParameter]) -> None:
        """State the shapes where one was stretched to the other."""
        if self._is_called or self._looks >= _BROADCAST_LOOKS:
            return
        self._looks += 1
        shapes = None if loss.grad_fn is None else stretched(loss.grad_fn)
        if shapes is not None:
            snapshot.state(LOSS_SHAPES, f"{shapes[0]} against {shapes[1]}")
