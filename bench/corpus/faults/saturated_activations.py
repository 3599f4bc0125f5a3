"""Hidden units are tanh and stand at their flat ends.

Their input is multiplied by a steepness, or their biases push them there; the twin has the same units in
their middle. The more severe, the further out.
"""

from dataclasses import replace
from random import Random

import torch
from torch import Tensor, nn

from corpus.fault import Fault, Unfit, between
from corpus.plan import Plan
from corpus.stages import bends, bias_of, layers, places

_FAMILIES = (
    "mlp",
    "mlp-deep",
    "mlp-norm",
    "mlp-residual",
    "cnn",
    "slides",
    "autoencoder",
    "autoencoder-conv",
)


class Steep(nn.Module):
    """A bounded activation of its input times a steepness."""

    def __init__(self, bend: nn.Module, steepness: float) -> None:
        super().__init__()
        self.bend, self.steepness = bend, steepness

    def forward(self, x: Tensor) -> Tensor:
        return self.bend(self.steepness * x)


def _bounded(module: nn.Module) -> bool:
    return isinstance(module, nn.Tanh)


def twin(plan: Plan, severity: float, dice: Random) -> Plan:
    """The same network with tanh in its hidden layers."""
    if plan.family not in _FAMILIES:
        raise Unfit
    for bend in bends(plan.model):
        bend.put(nn.Tanh())
    return replace(plan, notes=(*plan.notes, "hidden units are tanh"))


def _steep(plan: Plan, severity: float, dice: Random) -> Plan:
    """Units that are steeper than tanh is."""
    stages, steepness = places(plan.model, _bounded), between(1.5, 80, severity)
    for stage in stages:
        stage.put(Steep(stage.module, steepness))
    return replace(plan, notes=(*plan.notes, f"steepness of tanh 1 -> {steepness:.2g}"))


def _pushed(plan: Plan, severity: float, dice: Random) -> Plan:
    """Units that biases hold at one end or the other."""
    far = between(1, 12, severity)
    for layer in layers(plan.model)[:-1]:
        bias = bias_of(layer)
        if bias is not None:
            with torch.no_grad():
                bias.copy_(far * torch.randn(bias.shape).sign())
    return replace(plan, notes=(*plan.notes, f"biases before tanh start at +-{far:.2g}"))


def inject(plan: Plan, severity: float, dice: Random) -> Plan:
    """Units at their flat ends, in one of two ways."""
    # Normalization after the biases would center the units again.
    is_plain = plan.family in ("mlp", "mlp-deep", "cnn", "slides", "autoencoder", "autoencoder-conv")
    return dice.choice((_steep, _pushed) if is_plain else (_steep,))(plan, severity, dice)


FAULT = Fault(cause="saturated-activations", inject=inject, twin=twin)
