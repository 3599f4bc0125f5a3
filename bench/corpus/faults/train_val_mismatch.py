"""The validation rows are prepared otherwise than those of training.

Another scale or zero, features or tokens in another order, inverted or mirrored pictures, classes numbered
otherwise, or noise. Severity is how far it is off, or how many features, tokens and classes have changed
places.
"""

from collections.abc import Callable
from dataclasses import replace
from random import Random

import torch
from torch import Tensor

from corpus.fault import Fault, Harm, between
from corpus.plan import Plan
from corpus.surgery import needs_held, numbers, with_inputs, with_targets


def inject(plan: Plan, severity: float, dice: Random) -> Plan:
    """One of the forms that the input has."""
    needs_held(plan)
    kinds = plan.task.kind in ("classes", "tokens")
    forms = {
        "tokens": ["tokens"],
        "image": ["scale", "zero", "inverted", "mirrored", "noise"],
        "vector": ["scale", "zero", "order", "noise"],
        "signal": ["scale", "zero", "noise"],
    }[plan.task.form]
    form = dice.choice([*forms, *(["classes"] if kinds else [])])
    if form == "classes":
        places = _exchanged(plan.task.outputs, severity, dice)
        held = with_targets(plan.held, places[plan.held.targets])
        return replace(plan, held=held, notes=(*plan.notes, "validation classes numbered otherwise"))
    held = with_inputs(plan.held, _prepared(plan, form, severity, dice)(plan.held.inputs))
    return replace(plan, held=held, notes=(*plan.notes, f"validation rows differ: {form}"))


def _exchanged(count: int, severity: float, dice: Random) -> Tensor:
    """Numbers of which some, two at least, have changed places in a circle."""
    moved = torch.randperm(count, generator=numbers(dice))[: max(2, round(severity * count))]
    places = torch.arange(count)
    places[moved] = moved.roll(1)
    return places


def _prepared(plan: Plan, form: str, severity: float, dice: Random) -> Callable[[Tensor], Tensor]:
    deviation = plan.train.inputs.float().std()
    if form == "tokens":
        places = _exchanged(plan.task.vocabulary, severity, dice)
        return lambda x: places[x]
    if form == "order":
        order = _exchanged(plan.train.inputs.shape[1], severity, dice)
        return lambda x: x[:, order]
    if form == "scale":
        scale = between(1.3, 255, severity) ** dice.choice((-1, 1))
        return lambda x: x * scale
    if form == "zero":
        offset = dice.choice((-1, 1)) * between(0.2, 4, severity) * deviation
        return lambda x: x + offset
    if form == "noise":
        noise = between(0.2, 3, severity) * deviation
        source = numbers(dice)
        return lambda x: x + noise * torch.randn(x.shape, generator=source)
    if form == "inverted":
        low, high = plan.train.inputs.min(), plan.train.inputs.max()
        return lambda x: low + high - x
    return lambda x: x.flip(-1)


FAULT = Fault(cause="train-val-mismatch", inject=inject, harm=Harm.REPORT)
