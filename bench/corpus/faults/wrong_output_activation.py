"""An activation at the end of the model that does not fit the loss, in six kinds.

Softmax, sigmoid or log-softmax are put behind the last layer, exchanged or left out; a regression ends with a
sigmoid, a tanh or a ReLU. Mild ones are a ReLU before a cross-entropy, or bounds that few targets lie beyond.
"""

from dataclasses import replace
from random import Random

import torch
from torch import Tensor, nn
from torch.nn import functional

from corpus.fault import Fault, Unfit, between
from corpus.plan import Plan
from corpus.surgery import append, end, exchange_end

_YES_NO = ("yes-no", "labels", "mask")
_MILD = 0.3


def as_logits(outputs: Tensor) -> Tensor:
    """Probabilities of yes as scores, so that one half becomes zero."""
    return torch.logit(outputs, 1e-6)


def as_log(outputs: Tensor) -> Tensor:
    """Probabilities of classes as scores."""
    return outputs.clamp_min(1e-9).log()


def token_nll(outputs: Tensor, targets: Tensor) -> Tensor:
    """Negative log-likelihood over all positions."""
    return functional.nll_loss(outputs.flatten(0, 1), targets.flatten())


def twin(plan: Plan, severity: float, dice: Random) -> Plan:
    """Half of the time the pair of activation and loss that gives the same as the task's own loss."""
    if severity < _MILD or plan.loss is not plan.task.loss or Random(f"{severity}").random() < 0.5:
        return plan
    if plan.task.kind in _YES_NO:
        append(plan.model, nn.Sigmoid())
        return _reads_probabilities(replace(plan, loss=nn.BCELoss()))
    if plan.task.kind in ("classes", "tokens"):
        append(plan.model, nn.LogSoftmax(dim=-1))
        return replace(plan, loss=nn.NLLLoss() if plan.task.kind == "classes" else token_nll)
    return plan


def inject(plan: Plan, severity: float, dice: Random) -> Plan:
    """The kind that fits the task."""
    if isinstance(end(plan.model), nn.Sigmoid):
        return _without_sigmoid(plan, dice)
    if isinstance(end(plan.model), nn.LogSoftmax):
        return _without_log_softmax(plan, dice)
    if plan.task.kind in ("number", "copy"):
        return _bounded(plan, severity, dice)
    if plan.task.kind == "likeness":
        raise Unfit
    if severity < _MILD:
        append(plan.model, nn.ReLU())
        if plan.task.kind in _YES_NO:
            # A score that is never below 0 is read as a yes where it is above.
            return _noted(plan, "ReLU before the yes-no loss")
        return _noted(plan, "ReLU before cross-entropy")
    if plan.task.kind in _YES_NO:
        if plan.task.outputs == 1 and plan.task.kind == "yes-no" and dice.random() < 0.4:
            append(plan.model, nn.Softmax(dim=1))
            return _noted(_reads_probabilities(plan), "softmax over one unit")
        append(plan.model, nn.Sigmoid())
        return _noted(_reads_probabilities(plan), "sigmoid before BCE with logits")
    if dice.random() < 0.6:
        append(plan.model, nn.Softmax(dim=-1))
        return _noted(replace(plan, answer=as_log), "softmax before cross-entropy")
    append(plan.model, nn.Sigmoid())
    return _noted(plan, "sigmoid before cross-entropy")


def _without_sigmoid(plan: Plan, dice: Random) -> Plan:
    """A loss that wants probabilities, and gets raw scores, or a softmax over one unit."""
    if plan.task.kind == "yes-no" and dice.random() < 0.6:
        exchange_end(plan.model, nn.Softmax(dim=1))
        return _noted(plan, "softmax over one unit instead of a sigmoid, BCELoss")
    exchange_end(plan.model, nn.ReLU() if dice.random() < 0.4 else nn.Identity())
    return _noted(plan, "no sigmoid before BCELoss")


def _without_log_softmax(plan: Plan, dice: Random) -> Plan:
    """A loss that wants logarithms of probabilities, and gets raw scores, or probabilities."""
    if dice.random() < 0.5:
        exchange_end(plan.model, nn.Identity())
        return _noted(plan, "no log-softmax before NLLLoss")
    exchange_end(plan.model, nn.Softmax(dim=-1))
    return _noted(replace(plan, answer=as_log), "softmax instead of log-softmax before NLLLoss")


def _bounded(plan: Plan, severity: float, dice: Random) -> Plan:
    """A regression that cannot reach all of its targets."""
    limit = between(1.0, 0.3, severity) * float(plan.train.targets.abs().max())
    last: nn.Module = nn.Hardtanh(-limit, limit)
    if severity >= _MILD:
        last = dice.choice(
            (nn.Sigmoid(), nn.ReLU(), nn.Tanh() if plan.task.kind == "number" else nn.Sigmoid())
        )
    append(plan.model, last)
    return _noted(plan, f"{last} on the output of a regression")


def _reads_probabilities(plan: Plan) -> Plan:
    """A program whose metric, and the bench, take one half for the border."""
    metric = plan.metric
    return replace(plan, metric=lambda outputs, true: metric(as_logits(outputs), true), answer=as_logits)


def _noted(plan: Plan, note: str) -> Plan:
    return replace(plan, notes=(*plan.notes, note))


FAULT = Fault(cause="wrong-output-activation", inject=inject, twin=twin)
