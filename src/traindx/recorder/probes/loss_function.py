"""How predictions and targets are compared: the loss function, its settings, and what it is given.

Which activation made the predictions is read from the graph: "none" where another operation did, such as a
linear layer. Where the graph is not to be seen (a compiled model), rows that are shares, all at least 0 and
adding up to 1, tell a softmax, and nothing else is told.
"""

from math import sqrt

import torch
from torch import Tensor
from torch.autograd.function import BackwardCFunction

from traindx import facts
from traindx.recorder.graph.loss_head import TRANSPARENT, activation_before
from traindx.recorder.graph.nodes import operation_of
from traindx.recorder.losses.answers import Answers, answers_of
from traindx.recorder.losses.function import Compares, loss_function
from traindx.recorder.probes.types import LossCall, Probe, Purpose, Snapshot
from traindx.run import Fact, Scalar

_LOOKS = 3
"""Training batches after which the activation is known."""


class LossFunctionFacts(Probe):
    """States what the loss function is and gets."""

    def __init__(self) -> None:
        """Begin before the first look."""
        self._looks = 0

    def loss_is_computed(self, snapshot: Snapshot, call: LossCall) -> None:
        """State what is known of the loss function of a training batch."""
        if call.purpose is not Purpose.TRAINING:
            return
        self._looks += 1
        found = _settings(call)
        answers = answers_of(call)
        if answers is not None:
            found |= _shapes(answers)
            if self._looks <= _LOOKS:
                found |= _activation(call, answers)
        for fact, value in found.items():
            snapshot.state(fact, value)


def _settings(call: LossCall) -> dict[Fact, Scalar]:
    found: dict[Fact, Scalar] = {facts.LOSS_FUNCTION: call.function}
    if isinstance(call.options.get("from_logits"), bool):
        found[facts.FROM_LOGITS] = bool(call.options["from_logits"])
    smoothing = call.options.get("label_smoothing")
    if isinstance(smoothing, int | float):
        found[facts.LABEL_SMOOTHING] = float(smoothing)
    if loss_function(call.function, call.options).compares is not Compares.NUMBERS:
        weights = (call.options.get("weight"), call.options.get("pos_weight"))
        found[facts.CLASS_WEIGHTS] = any(weight is not None for weight in weights)
    return found


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
    node = prediction.grad_fn
    while node is not None and operation_of(node) in TRANSPARENT:
        node = node.next_functions[0][0]
    return node is not None and not isinstance(node, BackwardCFunction)


def _are_shares(answers: Answers) -> bool:
    """Whether each row of scores is a distribution over classes, as far as its type can hold one."""
    rows = answers.scores
    if rows.shape[1] < 2 or float(rows.amin()) < 0:
        return False
    rounding = float(torch.finfo(answers.prediction.dtype).eps)
    deviation = float((rows.sum(1) - 1).abs().amax())
    return deviation <= 1e-5 + rounding * sqrt(rows.shape[1])


PROBE = LossFunctionFacts
