"""Batches of a few samples where the batch itself matters.

It does to batch normalization, and to a loss over the pairs of a batch. The rate is a low one in both, so
that it is not at fault. The more severe, the fewer samples.
"""

from dataclasses import replace
from random import Random

from torch import nn

from corpus.fault import Fault, Unfit, between
from corpus.plan import Plan
from corpus.stages import fitting_batch, normalizes_over_batch

_STEPS = 3000
"""Steps of the faulty run, which makes more of them in an epoch."""


def _small(plan: Plan, severity: float) -> int:
    """Samples of a small batch; one alone can be normalized over a picture, and has no pairs."""
    is_picture = any(isinstance(module, nn.BatchNorm2d) for module in plan.model.modules())
    least = 1 if is_picture and plan.task.kind != "likeness" else 2
    return max(least, round(between(6, least * 0.7, severity)))


def twin(plan: Plan, severity: float, dice: Random) -> Plan:
    """Ordinary batches at a calm rate, for as many epochs as small batches can be paid for."""
    if plan.accumulation > 1 or not (normalizes_over_batch(plan.model) or plan.task.kind == "likeness"):
        raise Unfit
    batch = max(32, plan.batch)
    epochs = min(plan.epochs, max(4, _STEPS * _small(plan, severity) // len(plan.train)))
    rate = plan.rate * 0.5
    return replace(
        plan,
        batch=fitting_batch(plan, len(plan.train), batch),
        epochs=epochs,
        rate=rate,
        notes=(*plan.notes, f"rate {plan.rate:g} -> {rate:g}"),
    )


def inject(plan: Plan, severity: float, dice: Random) -> Plan:
    """The same epochs in small batches."""
    batch = fitting_batch(plan, len(plan.train), _small(plan, severity))
    return replace(plan, batch=batch, notes=(*plan.notes, f"batch {plan.batch} -> {batch}"))


FAULT = Fault(cause="batch-too-small", inject=inject, twin=twin)
