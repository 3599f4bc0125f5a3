"""Parameters that no optimizer holds.

Only some parts were handed over, layers stand in a plain list, the head was replaced after the optimizer was
made, or the optimizer holds a copy of the model. The more severe, the more parameters.
"""

import copy
from collections.abc import Iterable
from dataclasses import replace
from random import Random

from torch import Tensor, nn

from corpus.fault import Fault, Unfit
from corpus.plan import Plan
from corpus.stages import learning_stages

_MODAL = (nn.Dropout, nn.BatchNorm1d, nn.BatchNorm2d, nn.RNNBase)
"""Layers that behave differently in training: outside of the model they would stay in training mode."""


class Unlisted(nn.Module):
    """A layer in a plain Python list, which is not searched for parameters."""

    def __init__(self, layer: nn.Module) -> None:
        super().__init__()
        self.layers = [layer]

    def forward(self, x: Tensor) -> Tensor:
        return self.layers[0](x)


def _some_parts(plan: Plan, severity: float, dice: Random) -> Plan:
    """An optimizer that was given the last parts alone."""
    stages = learning_stages(plan.model)
    left = max(1, round((len(stages) - 1) * (0.4 + 0.6 * severity)))
    if len(stages) < 2:
        raise Unfit

    def parameters(model: nn.Module) -> Iterable[Tensor]:
        return [
            parameter for stage in learning_stages(model)[left:] for parameter in stage.module.parameters()
        ]

    note = f"the optimizer holds the last {len(stages) - left} of {len(stages)} parts"
    return replace(plan, parameters=parameters, notes=(*plan.notes, note))


def _plain_list(plan: Plan, severity: float, dice: Random) -> Plan:
    """Layers that `parameters()` does not find."""
    stages = learning_stages(plan.model)
    plain = [
        stage for stage in stages if not any(isinstance(inner, _MODAL) for inner in stage.module.modules())
    ]
    count = max(1, round(len(plain) * (0.3 + 0.7 * severity)))
    if not plain or len(stages) - count < 1:
        raise Unfit
    for stage in dice.sample(plain, count):
        stage.put(Unlisted(stage.module))
    return replace(plan, notes=(*plan.notes, f"{count} of {len(stages)} parts stand in a plain list"))


def _stale_head(plan: Plan, severity: float, dice: Random) -> Plan:
    """A head that was replaced when the optimizer had been made."""

    def parameters(model: nn.Module) -> Iterable[Tensor]:
        head = learning_stages(model)[-1].module
        new = {id(parameter) for parameter in head.parameters()}
        kept = [parameter for parameter in model.parameters() if id(parameter) not in new]
        return [*kept, *copy.deepcopy(head).parameters()]

    return replace(plan, parameters=parameters, notes=(*plan.notes, "the optimizer holds an old head"))


def _stale_model(plan: Plan, severity: float, dice: Random) -> Plan:
    """An optimizer that was made for a copy."""
    if severity < 0.3:
        raise Unfit

    def parameters(model: nn.Module) -> Iterable[Tensor]:
        return list(copy.deepcopy(model).parameters())

    return replace(plan, parameters=parameters, notes=(*plan.notes, "the optimizer holds a copy"))


def inject(plan: Plan, severity: float, dice: Random) -> Plan:
    """An optimizer that misses parameters, in one of four ways."""
    form = dice.choice((_some_parts, _some_parts, _plain_list, _plain_list, _stale_head, _stale_model))
    return form(plan, severity, dice)


FAULT = Fault(cause="parameters-not-optimized", inject=inject)
