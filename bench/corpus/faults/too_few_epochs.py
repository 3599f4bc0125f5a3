"""The run ends while it still learns, its schedule with it. The more severe, the fewer epochs are left."""

from dataclasses import replace
from random import Random

from corpus.fault import Fault, Unfit, between
from corpus.plan import Plan

_FEWEST = 2
"""Epochs without which there is no curve to look at."""


def inject(plan: Plan, severity: float, dice: Random) -> Plan:
    """A short run."""
    epochs = max(_FEWEST, round(plan.epochs * between(0.75, 0.05, severity)))
    if epochs >= plan.epochs:
        raise Unfit
    return replace(plan, epochs=epochs, notes=(*plan.notes, f"epochs {plan.epochs} -> {epochs}"))


FAULT = Fault(cause="too-few-epochs", inject=inject)
