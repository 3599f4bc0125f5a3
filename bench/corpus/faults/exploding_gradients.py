"""Gradients grow with depth or time, and nothing holds them.

A plain recurrent network of ReLU units without clipping, or deep residual blocks without normalization; the
twin clips, or normalizes. The more severe, the higher the rate of the recurrent one, and the deeper the
blocks.
"""

from dataclasses import replace
from random import Random

from torch import nn

from corpus.fault import Fault, Unfit, between
from corpus.plan import Plan
from corpus.sequences import Recurrent
from corpus.stages import drawn_after_he, places, rebuilt, shape_of

_LIMIT = 0.5
_DEEPEST = {"mlp-residual": 16, "resnet": 8}


def twin(plan: Plan, severity: float, dice: Random) -> Plan:
    """A network that would explode, and is held."""
    if isinstance(plan.model, Recurrent):
        gated = plan.model.cells
        assert isinstance(gated, nn.RNNBase)
        cells = nn.RNN(
            gated.input_size,
            gated.hidden_size,
            gated.num_layers,
            nonlinearity="relu",
            batch_first=True,
            bidirectional=gated.bidirectional,
        )
        for name, weight in cells.named_parameters():
            if "weight_hh" in name:
                nn.init.orthogonal_(weight)
        plan.model.cells = cells
        rate = float(f"{between(0.03, 0.2, severity):.2g}")
        return replace(plan, optimizer="sgd", settings={"momentum": 0.9}, rate=rate, clip=_LIMIT)
    if plan.family in _DEEPEST:
        depth = round(between(4, _DEEPEST[plan.family], severity))
        model = rebuilt(plan, replace(shape_of(plan), depth=depth, dropout=0.0))
        drawn_after_he(model)
        return replace(plan, model=model, clip=0.0, notes=(*plan.notes, f"{depth} blocks"))
    raise Unfit


def inject(plan: Plan, severity: float, dice: Random) -> Plan:
    """The same network with nothing that holds it."""
    if isinstance(plan.model, Recurrent):
        return replace(plan, clip=0.0, notes=(*plan.notes, f"clip {plan.clip:g} -> none"))
    for stage in places(plan.model, lambda module: isinstance(module, nn.LayerNorm | nn.BatchNorm2d)):
        stage.put(nn.Identity())
    return replace(plan, notes=(*plan.notes, "normalization left out"))


FAULT = Fault(cause="exploding-gradients", inject=inject, twin=twin)
