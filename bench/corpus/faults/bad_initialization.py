"""Weights are drawn far too wide, far too narrow, or all alike.

Units of a layer that are alike stay copies of one another. The more severe, the further the scale is off, and
the more layers are alike.
"""

from dataclasses import replace
from random import Random

import torch
from torch import nn

from corpus.fault import Fault, Unfit, between
from corpus.plan import Plan
from corpus.stages import LAYER_TYPES


def _weights(model: nn.Module) -> list[nn.Parameter]:
    """Weight matrices of dense, convolutional and recurrent layers, in the order in which they were made."""
    return [
        weight
        for module in model.modules()
        if isinstance(module, (*LAYER_TYPES, nn.RNNBase))
        for weight in module.parameters(recurse=False)
        if weight.dim() > 1
    ]


def _wide(plan: Plan, severity: float, dice: Random) -> Plan:
    """One width for all layers, as if they had few inputs."""
    width = between(0.25, 4, severity)
    for weight in _weights(plan.model):
        nn.init.normal_(weight, std=width)
    return replace(plan, notes=(*plan.notes, f"weights drawn with deviation {width:.2g}"))


def _narrow(plan: Plan, severity: float, dice: Random) -> Plan:
    """One width for all layers, next to nothing."""
    width = between(0.05, 1e-5, severity)
    for weight in _weights(plan.model):
        nn.init.normal_(weight, std=width)
    return replace(plan, notes=(*plan.notes, f"weights drawn with deviation {width:.1g}"))


def _alike(plan: Plan, severity: float, dice: Random) -> Plan:
    """Layers whose weights are one number."""
    weights = _weights(plan.model)
    if len(weights) < 2:
        raise Unfit
    number = dice.choice((0.0, 0.01, 0.05, 0.1))
    chosen = dice.sample(weights, max(1, round(len(weights) * (0.2 + 0.8 * severity))))
    for weight in chosen:
        nn.init.constant_(weight, number)
    for module in plan.model.modules():
        if isinstance(module, LAYER_TYPES) and isinstance(module.bias, torch.Tensor):
            nn.init.zeros_(module.bias)
    return replace(plan, notes=(*plan.notes, f"{len(chosen)} of {len(weights)} weights are all {number:g}"))


def inject(plan: Plan, severity: float, dice: Random) -> Plan:
    """Weights of a wrong scale, or without differences."""
    return dice.choice((_wide, _narrow, _alike))(plan, severity, dice)


FAULT = Fault(cause="bad-initialization", inject=inject)
