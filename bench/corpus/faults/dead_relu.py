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
    found: list[nn.Module] = []
    last: nn.Module | None = None
    convolutions: list[nn.Module] = []
    for one in model.modules():
        if isinstance(one, nn.Conv1d):
            convolutions.append(one)
        if isinstance(one, nn.ReLU) and last is not None:
            found.append(last)
        if isinstance(one, _SHIFTING):
            last = one
    # A net that slides keeps its convolutions and its activations in two lists.
    return convolutions if convolutions and found else found


def inject(plan: Plan, severity: float, dice: Random) -> Plan:
    """Biases that keep units below zero."""
    found = [one for one in _before_relu(plan.model) if bias_of(one) is not None]
    if not found:
        raise Unfit
    chosen = dice.sample(
        found, min(len(found), max(1, round(len(found) * severity * dice.uniform(0.5, 1.2))))
    )
    shift, share = between(0.7, 10, severity), min(1.0, 0.6 + 0.7 * severity)
    for layer in chosen:
        bias = bias_of(layer)
        assert bias is not None
        units = dice.sample(range(len(bias)), max(1, round(share * len(bias))))
        with torch.no_grad():
            bias[units] = -shift
    where = f"{share:.0%} of the units of {len(chosen)} of {len(found)} ReLU layers"
    note = f"biases of {where} start at -{shift:.2g}"
    return replace(plan, notes=(*plan.notes, note))


FAULT = Fault(cause="dead-relu", inject=inject)
