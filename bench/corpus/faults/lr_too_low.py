"""The learning rate is divided: by two where mild, by thousands where severe."""

from dataclasses import replace
from random import Random

from corpus.fault import Fault, between
from corpus.plan import Plan


def inject(plan: Plan, severity: float, dice: Random) -> Plan:
    """The same training at a lower rate."""
    rate = float(f"{plan.rate / between(2, 2000, severity) * 2 ** dice.uniform(-0.3, 0.3):.2g}")
    return replace(plan, rate=rate, notes=(*plan.notes, f"rate {plan.rate:g} -> {rate:g}"))


FAULT = Fault(cause="lr-too-low", inject=inject)
