"""Activations between layers do nothing: they are an identity, or leak with a slope of 1.

Severity is how many of them; from one half on all.
"""

from dataclasses import replace
from random import Random

from torch import nn

from corpus.fault import Fault, Unfit
from corpus.plan import Plan
from corpus.surgery import bends, put

_BENT = ("spirals", "figures", "teacher", "friedman", "beats", "discs", "text")
"""Tasks that no linear model learns well; the others are nearly as well learned without a bend."""
_BENDS_ANYWAY = ("transformer", "transformer-post")
"""Attention is no linear map, with activations or without."""


def inject(plan: Plan, severity: float, dice: Random) -> Plan:
    """Some activations, or all, are exchanged."""
    places = bends(plan.model)
    if not places or plan.task.name not in _BENT or plan.family in _BENDS_ANYWAY:
        raise Unfit
    count = min(len(places), max(1, round(2 * severity * len(places))))
    leaks = dice.random() < 0.3
    for name in dice.sample(places, count):
        put(plan.model, name, nn.LeakyReLU(1.0) if leaks else nn.Identity())
    note = f"{count} of {len(places)} activations -> {'slope 1' if leaks else 'identity'}"
    return replace(plan, notes=(*plan.notes, note))


FAULT = Fault(cause="missing-nonlinearity", inject=inject)
