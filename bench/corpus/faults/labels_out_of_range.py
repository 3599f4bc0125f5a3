"""Labels that the loss is not defined for.

Classes counted from one, -1 for unknown, 255 for a border, left out by -100, or a yes-no of 2 or -1.
Severity is the share of rows that have it; the mildest are left out in silence.
"""

from dataclasses import replace
from random import Random

import torch
from torch import Tensor

from corpus.fault import Fault, Unfit, between
from corpus.plan import Plan
from corpus.surgery import numbers, with_targets

_MILD = 0.35


def inject(plan: Plan, severity: float, dice: Random) -> Plan:
    """Illegal labels among those of training."""
    kind, targets = plan.task.kind, plan.train.targets
    if kind in ("classes", "tokens"):
        bad, note = _classes(targets, plan.task.outputs, severity, dice)
        return replace(plan, train=with_targets(plan.train, bad), notes=(*plan.notes, note))
    if kind in ("yes-no", "labels", "mask"):
        bad, note = _yes_no(targets, severity, dice)
        return replace(plan, train=with_targets(plan.train, bad), notes=(*plan.notes, note))
    raise Unfit


def _some(targets: Tensor, share: float, value: float, dice: Random) -> Tensor:
    """Labels of which a share, one at least, is exchanged for a value."""
    flat = targets.clone().flatten()
    count = max(1, round(share * len(flat)))
    flat[torch.randperm(len(flat), generator=numbers(dice))[:count]] = value
    return flat.view_as(targets)


def _classes(targets: Tensor, classes: int, severity: float, dice: Random) -> tuple[Tensor, str]:
    if severity < _MILD:
        share = between(0.3, 0.995, severity / _MILD)
        return _some(targets, share, -100, dice), f"{share:.0%} of the labels -100"
    if dice.random() < 0.3:
        return targets + 1, "classes counted from one"
    share, value = between(5e-4, 0.05, severity), dice.choice((-1, classes, classes + 1, 255))
    return _some(targets, share, value, dice), f"{share:.2%} of the labels {value}"


def _yes_no(targets: Tensor, severity: float, dice: Random) -> tuple[Tensor, str]:
    form = dice.choice(("two", "minus", "unknown", "bytes"))
    if form == "two" and severity > 0.5:
        return targets + 1, "yes is 2 and no is 1"
    if form == "minus" and severity > 0.5:
        return 2 * targets - 1, "yes is 1 and no is -1"
    if form == "bytes" and severity > 0.5:
        return 255 * targets, "yes is 255"
    share, value = between(0.01, 0.3, severity), dice.choice((-1.0, 2.0, 255.0))
    return _some(targets, share, value, dice), f"{share:.1%} of the labels {value:.0f}"


FAULT = Fault(cause="labels-out-of-range", inject=inject)
