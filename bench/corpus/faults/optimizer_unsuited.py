"""Adagrad at the rate that Adam had, or SGD for recurrent and attending networks.

SGD gets a rate of its own. The more severe, the more Adagrad begins with in its sum, and the less momentum
SGD has.
"""

from dataclasses import replace
from random import Random

from corpus.fault import Fault, Unfit, between
from corpus.plan import Plan

_UNEVEN = ("lstm", "gru", "transformer", "transformer-post")
_ADAMS = ("adam", "adamw", "nadam")


def _adagrad(plan: Plan, severity: float, dice: Random) -> Plan:
    """Adagrad in Adam's place."""
    begins = between(1e-6, 0.2, severity)
    return replace(
        plan,
        optimizer="adagrad",
        settings={"initial_accumulator_value": begins},
        notes=(*plan.notes, f"{plan.optimizer} -> adagrad at the same rate, its sum begins at {begins:.2g}"),
    )


def _sgd(plan: Plan, severity: float, dice: Random) -> Plan:
    """SGD where layers differ by orders of magnitude."""
    momentum = 0.9 if severity < 0.5 else 0.0
    rate = dice.choice((0.03, 0.1)) if momentum else dice.choice((0.1, 0.3))
    return replace(
        plan,
        optimizer="sgd",
        rate=rate,
        settings={"momentum": momentum},
        notes=(*plan.notes, f"{plan.optimizer} -> sgd at {rate:g}, momentum {momentum:g}"),
    )


def inject(plan: Plan, severity: float, dice: Random) -> Plan:
    """Another optimizer."""
    if plan.optimizer not in _ADAMS:
        raise Unfit
    forms = (_adagrad, _sgd, _sgd) if plan.family in _UNEVEN else (_adagrad,)
    return dice.choice(forms)(plan, severity, dice)


FAULT = Fault(cause="optimizer-unsuited", inject=inject)
