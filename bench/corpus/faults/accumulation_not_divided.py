"""Losses of several batches are added for a step instead of averaged.

SGD minds that; the twin divides. The more severe, the more batches make a step.
"""

from dataclasses import replace
from random import Random

from corpus.fault import Fault, Unfit, between
from corpus.plan import Plan
from corpus.stages import fitting_batch, normalizes_over_batch

_STEPS = 150
"""Optimizer steps in which the twin learns its task."""


def twin(plan: Plan, severity: float, dice: Random) -> Plan:
    """Small batches that together are one of ordinary size, their loss divided."""
    if plan.optimizer != "sgd" or plan.accumulation > 1:
        raise Unfit
    parts = round(between(4, 64, severity))
    least = 8 if normalizes_over_batch(plan.model) else 2
    batch = fitting_batch(plan, len(plan.train), max(least, plan.batch // parts))
    if len(plan.train) // (parts * batch) < 2:
        raise Unfit
    epochs = max(plan.epochs, round(_STEPS * parts * batch / len(plan.train)))
    return replace(
        plan, accumulation=parts, batch=batch, epochs=epochs, notes=(*plan.notes, f"accumulates {parts}")
    )


def inject(plan: Plan, severity: float, dice: Random) -> Plan:
    """The same sums, not divided."""
    return replace(plan, divides=False, notes=(*plan.notes, f"loss not divided by {plan.accumulation}"))


FAULT = Fault(cause="accumulation-not-divided", inject=inject, twin=twin)
