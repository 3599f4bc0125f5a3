"""Units of a ReLU layer begin with a bias so negative that they give zero for every input.

Or with such a shift of the normalization. The more severe, the more negative, and the more units and layers.
"""

from dataclasses import replace
from random import Random

import torch
from torch import nn

from corpus.fault import Fault, Unfit, between
from corpus.plan import Plan
from corpus.stages import LAYER_TYPES, bias_of

_SHIFTING = (*LAYER_TYPES, nn.BatchNorm1d, nn.BatchNorm2d, nn.LayerNorm)


def _before_relu(model: nn.Module) -> list[nn.Module]:
    """What the input of each ReLU comes out of."""
    modules: list[nn.Module] = []
    last: nn.Module | None = None
    convolutions: list[nn.Module] = []
    for module in model.modules():
        if isinstance(module, nn.Conv1d):
            convolutions.append(module)
        if isinstance(module, nn.ReLU) and last is not None:
            modules.append(last)
        if isinstance(module, _SHIFTING):
            last = module
    # A net that slides keeps its convolutions and its activations in two lists.
    return convolutions if convolutions and modules else modules


def inject(plan: Plan, severity: float, dice: Random) -> Plan:
    """Biases that keep units below zero."""
    layers = [layer for layer in _before_relu(plan.model) if bias_of(layer) is not None]
    if not layers:
        raise Unfit
    chosen = dice.sample(
        layers, min(len(layers), max(1, round(len(layers) * severity * dice.uniform(0.5, 1.2))))
    )
    shift, share = between(0.7, 10, severity), min(1.0, 0.6 + 0.7 * severity)
    for layer in chosen:
        bias = bias_of(layer)
        assert bias is not None
        units = dice.sample(range(len(bias)), max(1, round(share * len(bias))))
        with torch.no_grad():
            bias[units] = -shift
    where = f"{share:.0%} of the units of {len(chosen)} of {len(layers)} ReLU layers"
    note = f"biases of {where} start at -{shift:.2g}"
    return replace(plan, notes=(*plan.notes, note))


FAULT = Fault(cause="dead-relu", inject=inject)
