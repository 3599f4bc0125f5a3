"""A deep network whose units are sigmoids, or a recurrent one without gates.

The twin is as deep, with ReLU drawn after He, or has its gates. The more severe, the deeper, and the more
sigmoids.
"""

from dataclasses import replace
from random import Random

from torch import nn

from corpus.fault import Fault, Unfit, between
from corpus.plan import Plan
from corpus.sequences import Recurrent
from corpus.stages import bends, drawn_after_he, rebuilt, shape_of

_STACKS = {"mlp": 9, "mlp-deep": 9, "cnn": 6, "slides": 6}
"""The depth that is severe, by family."""
_FAR = ("order", "majority", "beats", "waves", "digits")
"""Tasks in which what came first has to be known at the end."""


def twin(plan: Plan, severity: float, dice: Random) -> Plan:
    """A deep network that trains."""
    if plan.family in _STACKS:
        depth = round(between(3, _STACKS[plan.family], severity))
        model = rebuilt(plan, replace(shape_of(plan), depth=depth, bend="relu", dropout=0.0))
        drawn_after_he(model)
        return replace(plan, model=model, notes=(*plan.notes, f"depth {depth}"))
    if plan.family in ("autoencoder", "autoencoder-conv"):
        for bend in bends(plan.model):
            bend.put(nn.ReLU())
        drawn_after_he(plan.model)
        return plan
    if plan.family in ("lstm", "gru") and plan.task.name in _FAR:
        return plan
    raise Unfit


def inject(plan: Plan, severity: float, dice: Random) -> Plan:
    """The same network with sigmoids, or without gates."""
    if isinstance(plan.model, Recurrent):
        gated = plan.model.cells
        assert isinstance(gated, nn.RNNBase)
        plan.model.cells = nn.RNN(
            gated.input_size, gated.hidden_size, gated.num_layers, batch_first=True, dropout=gated.dropout
        )
        return replace(plan, notes=(*plan.notes, f"{plan.family} -> plain recurrent"))
    stages = bends(plan.model)
    count = max(1, round(len(stages) * (0.3 + 0.7 * severity)))
    for stage in dice.sample(stages, min(count, len(stages))):
        stage.put(nn.Sigmoid())
    return replace(plan, notes=(*plan.notes, f"{count} of {len(stages)} activations are sigmoids"))


FAULT = Fault(cause="vanishing-gradients", inject=inject, twin=twin)
