"""Parts of the model that should learn have `requires_grad` off.

Its lower parts, parts here and there, or weights with biases left. The more severe, the larger the share.
"""

from dataclasses import replace
from random import Random

from torch import nn

from corpus.fault import Fault, Unfit
from corpus.plan import Plan
from corpus.stages import learning_stages


def _lower_parts(plan: Plan, severity: float, dice: Random) -> list[tuple[str, nn.Parameter]]:
    """The first parts: what a helper for fine-tuning freezes."""
    stages = learning_stages(plan.model)
    count = round((len(stages) - 1) * (0.4 + 0.6 * severity))
    kept = {id(parameter) for stage in stages[:count] for parameter in stage.module.parameters()}
    return [(name, parameter) for name, parameter in plan.model.named_parameters() if id(parameter) in kept]


def _parts_anywhere(plan: Plan, severity: float, dice: Random) -> list[tuple[str, nn.Parameter]]:
    """Parts whose names were caught by mistake; one at least is left."""
    stages = learning_stages(plan.model)
    count = max(1, round((len(stages) - 1) * (0.3 + 0.7 * severity)))
    kept = {id(parameter) for stage in dice.sample(stages, count) for parameter in stage.module.parameters()}
    return [(name, parameter) for name, parameter in plan.model.named_parameters() if id(parameter) in kept]


def _weights(plan: Plan, severity: float, dice: Random) -> list[tuple[str, nn.Parameter]]:
    """Weights of most layers, with their biases left to learn."""
    weights = [(name, parameter) for name, parameter in plan.model.named_parameters() if parameter.dim() > 1]
    return dice.sample(weights, max(1, round(len(weights) * (0.4 + 0.6 * severity))))


def inject(plan: Plan, severity: float, dice: Random) -> Plan:
    """The same model with parts that take no gradient."""
    frozen = dice.choice((_lower_parts, _parts_anywhere, _weights))(plan, severity, dice)
    everything = list(plan.model.parameters())
    if not frozen or len(frozen) == len(everything):
        raise Unfit
    for _, parameter in frozen:
        parameter.requires_grad_(False)
    if not any(parameter.requires_grad for parameter in everything):
        raise Unfit
    note = f"requires_grad off for {len(frozen)} of {len(everything)} parameters, from {frozen[0][0]} on"
    return replace(plan, notes=(*plan.notes, note))


FAULT = Fault(cause="frozen-parameters", inject=inject)
