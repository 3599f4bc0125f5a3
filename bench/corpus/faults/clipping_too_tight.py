"""The gradient norm is clipped far below what it is, at every step, under SGD, which minds.

The more severe, the lower the limit.
"""

from dataclasses import replace
from random import Random

from corpus.fault import Fault, Unfit, between
from corpus.plan import Plan


def inject(plan: Plan, severity: float, dice: Random) -> Plan:
    """A limit that was copied from elsewhere."""
    if plan.optimizer != "sgd":
        raise Unfit
    limit = float(f"{between(0.1, 0.0005, severity) * 2 ** dice.uniform(-0.5, 0.5):.1g}")
    return replace(plan, clip=limit, notes=(*plan.notes, f"clip {plan.clip:g} -> {limit:g}"))


FAULT = Fault(cause="clipping-too-tight", inject=inject)
