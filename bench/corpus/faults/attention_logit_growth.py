"""Attention whose scores nothing holds, at a rate that makes them grow.

The twin normalises queries and keys, and bears the same rate. The more severe, the higher the rate.
"""

from dataclasses import replace
from random import Random

from torch import Tensor, nn

from corpus.fault import Fault, Unfit, between
from corpus.plan import Plan
from corpus.sequences import Attending, Attention

_GAIN = 0.6


class HeadNorm(nn.Module):
    """Brings the part of every head to unit size."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.norm = nn.RMSNorm(width // heads)
        # Scores then begin as large as they do without it, so that what they grow to is all that differs.
        nn.init.constant_(self.norm.weight, _GAIN)

    def forward(self, x: Tensor) -> Tensor:
        return self.norm(x.unflatten(-1, (self.heads, -1))).flatten(-2)


def _attentions(model: nn.Module) -> list[Attention]:
    return [one for one in model.modules() if isinstance(one, Attention)]


def twin(plan: Plan, severity: float, dice: Random) -> Plan:
    """Queries and keys are normalised."""
    if not isinstance(plan.model, Attending):
        raise Unfit
    for one in _attentions(plan.model):
        width = one.out.out_features
        one.asks = nn.Sequential(one.asks, HeadNorm(width, one.heads))
        one.offers = nn.Sequential(one.offers, HeadNorm(width, one.heads))
    rate = float(f"{plan.rate * between(2, 7, severity):.2g}")
    return replace(plan, rate=rate, notes=(*plan.notes, f"rate {plan.rate:g} -> {rate:g}"))


def inject(plan: Plan, severity: float, dice: Random) -> Plan:
    """The same without normalisation of queries and keys."""
    for one in _attentions(plan.model):
        assert isinstance(one.asks, nn.Sequential)
        assert isinstance(one.offers, nn.Sequential)
        one.asks[1], one.offers[1] = nn.Identity(), nn.Identity()
    return replace(plan, notes=(*plan.notes, "queries and keys not normalised"))


FAULT = Fault(cause="attention-logit-growth", inject=inject, twin=twin)
