"""A loss for another kind of target.

Distances between class numbers, a yes-no loss on classes that exclude each other, one distribution over
labels that do not, a squared error on targets over powers of ten. Severity decides between the form that
still works and the one that does not, and how far the powers spread.
"""

from collections.abc import Callable
from dataclasses import replace
from random import Random

import torch
from torch import Tensor, nn
from torch.nn import functional

from corpus.fault import Fault, Unfit, between
from corpus.plan import Plan
from corpus.surgery import needs_plain_loss, widen_end, with_targets
from corpus.task import Loss, Rows

_DISTANCES: tuple[Callable[[], Loss], ...] = (nn.MSELoss, nn.L1Loss, nn.SmoothL1Loss)
_MILD = 0.3


def inject(plan: Plan, severity: float, dice: Random) -> Plan:
    """The mismatch that fits the kind of target."""
    needs_plain_loss(plan)
    kind, classes = plan.task.kind, plan.task.outputs
    if kind == "number":
        return _without_logarithm(plan, severity)
    if kind == "labels":
        return _one_distribution(plan)
    if kind in ("yes-no", "mask"):
        return _distance_to_yes(plan, dice)
    if kind == "tokens" or (kind == "classes" and severity < _MILD):
        return _yes_no_per_class(plan, classes)
    if kind == "classes":
        return _class_numbers(plan, classes, dice)
    raise Unfit


def _class_numbers(plan: Plan, classes: int, dice: Random) -> Plan:
    widen_end(plan.model, 1)
    distance = dice.choice(_DISTANCES)()

    def loss(predictions: Tensor, targets: Tensor) -> Tensor:
        return distance(predictions.squeeze(-1), targets.float())

    def metric(predictions: Tensor, targets: Tensor) -> float:
        return float((predictions.squeeze(-1).round() == targets).float().mean())

    def answer(predictions: Tensor) -> Tensor:
        return -(predictions - torch.arange(classes)).abs()

    note = f"{distance} on the numbers of {classes} classes"
    return replace(plan, loss=loss, metric=metric, answer=answer, notes=(*plan.notes, note))


def _yes_no_per_class(plan: Plan, classes: int) -> Plan:
    def loss(scores: Tensor, targets: Tensor) -> Tensor:
        return functional.binary_cross_entropy_with_logits(
            scores, functional.one_hot(targets, classes).float()
        )

    return replace(plan, loss=loss, notes=(*plan.notes, "a yes-no loss on one-hot rows"))


def _one_distribution(plan: Plan) -> Plan:
    """Cross-entropy over labels of which several can be true; told are those of a share above one half."""
    metric = plan.metric

    def answer(scores: Tensor) -> Tensor:
        return scores.softmax(1) - 0.5

    return replace(
        plan,
        loss=functional.cross_entropy,
        metric=lambda scores, targets: metric(answer(scores), targets),
        answer=answer,
        notes=(*plan.notes, "cross-entropy over labels that do not exclude each other"),
    )


def _distance_to_yes(plan: Plan, dice: Random) -> Plan:
    distance, metric = dice.choice(_DISTANCES)(), plan.metric
    return replace(
        plan,
        loss=distance,
        metric=lambda outputs, targets: metric(outputs - 0.5, targets),
        answer=lambda outputs: outputs - 0.5,
        notes=(*plan.notes, f"{distance} on yes and no"),
    )


def _without_logarithm(plan: Plan, severity: float) -> Plan:
    """Targets whose logarithm the twin learns, as they are measured but for their unit."""
    stretch = between(0.4, 3.0, severity)
    measured = (stretch * plan.train.targets).exp()
    mean, deviation, least = measured.mean(), measured.std(), measured.min()

    def raw(rows: Rows) -> Rows:
        return with_targets(rows, ((stretch * rows.targets).exp() - mean) / deviation)

    def answer(predictions: Tensor) -> Tensor:
        return (predictions * deviation + mean).clamp_min(least).log() / stretch

    note = f"squared error on targets that spread by a factor of {float(measured.max() / least):.0f}"
    return replace(plan, train=raw(plan.train), held=raw(plan.held), answer=answer, notes=(*plan.notes, note))


FAULT = Fault(cause="loss-mismatch", inject=inject)
