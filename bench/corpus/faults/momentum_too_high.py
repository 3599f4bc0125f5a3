"""Momentum (or beta1) near 1 at an unchanged rate. The more severe, the nearer."""

from dataclasses import replace
from random import Random

from corpus.fault import Fault, Unfit, between
from corpus.plan import Plan


def inject(plan: Plan, severity: float, dice: Random) -> Plan:
    """The same training with a longer memory."""
    momentum = round(1 - between(0.04, 0.0005, severity), 4)
    if plan.optimizer in ("sgd", "rmsprop"):
        settings = {**plan.settings, "momentum": momentum}
        before = plan.settings.get("momentum", 0.0)
    elif plan.optimizer in ("adam", "adamw", "nadam"):
        settings, before = {**plan.settings, "betas": (momentum, 0.999)}, 0.9
    else:
        raise Unfit
    return replace(plan, settings=settings, notes=(*plan.notes, f"momentum {before:g} -> {momentum:g}"))


FAULT = Fault(cause="momentum-too-high", inject=inject)
