"""The learning rate is multiplied: a few times where mild, a hundred times and more where severe."""

from dataclasses import replace
from random import Random

from corpus.fault import Fault, Unfit, between
from corpus.plan import Plan


def inject(plan: Plan, severity: float, dice: Random) -> Plan:
    """The same training at a higher rate."""
    if plan.family == "linear" and plan.optimizer != "sgd":
        # Convex, and with steps of bounded length: it bears every rate.
        raise Unfit
    factor = between(6, 200, severity) if plan.optimizer == "sgd" else between(8, 1000, severity)
    rate = float(f"{plan.rate * factor * 2 ** dice.uniform(-0.3, 0.3):.2g}")
    return replace(plan, rate=rate, notes=(*plan.notes, f"rate {plan.rate:g} -> {rate:g}"))


FAULT = Fault(cause="lr-too-high", inject=inject)
