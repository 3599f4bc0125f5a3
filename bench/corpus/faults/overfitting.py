"""A small part of the data, seen again and again.

The twin has all of it, or stops in time where the part is small for both. The more severe, the smaller the
part, or the longer the run.
"""

from dataclasses import replace
from random import Random

import torch

from corpus.fault import Fault, Harm, Unfit, between
from corpus.plan import Plan
from corpus.stages import fitting_batch

_STOPS = ("number", "tokens")
"""Kinds of tasks whose skill gets worse, and not only the loss, when a run goes on."""
_FEWEST = 80
"""Rows: fewer are a debug subset that was left in."""
_EARLY = 0.25
"""Share of the run after which one that stops in time stops."""


def _cut(plan: Plan, share: float, dice: Random) -> Plan:
    """Part of the rows, for as many steps."""
    count = max(_FEWEST, round(share * len(plan.train)))
    if count > len(plan.train) // 3:
        raise Unfit
    chosen = torch.tensor(sorted(dice.sample(range(len(plan.train)), count)))
    batch = fitting_batch(plan, count, min(plan.batch, count // 2))
    return replace(
        plan,
        train=plan.train.part(chosen),
        batch=batch,
        epochs=max(plan.epochs, round(plan.steps * batch / count)),
        notes=(*plan.notes, f"rows {len(plan.train)} -> {count}"),
    )


def _stops(plan: Plan) -> bool:
    """Whether the twin is one that stops in time."""
    return plan.task.kind in _STOPS and plan.task.name in ("diabetes", "text", "friedman", "teacher")


def twin(plan: Plan, severity: float, dice: Random) -> Plan:
    """All data, or a short run on a part."""
    if not len(plan.held) or plan.accumulation > 1:
        raise Unfit
    if not _stops(plan):
        return plan
    few = _cut(plan, 0.1, dice)
    return replace(few, epochs=max(3, round(few.epochs * _EARLY)))


def inject(plan: Plan, severity: float, dice: Random) -> Plan:
    """Few rows, or a run that goes on and on."""
    if not _stops(plan):
        return _cut(plan, between(0.33, 0.06, severity), dice)
    epochs = round(plan.epochs * between(2, 12, severity))
    return replace(plan, epochs=epochs, notes=(*plan.notes, f"epochs {plan.epochs} -> {epochs}"))


FAULT = Fault(cause="overfitting", inject=inject, twin=twin, harm=Harm.GENERALIZATION)
