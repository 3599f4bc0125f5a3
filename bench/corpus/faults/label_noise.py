"""A share of the labels is wrong, in training and validation.

They are those of any other class, of the neighboring one, or wrong in one poor source. Numbers are
exchanged for those of other rows; yes and no are flipped. Severity is the share.
"""

from dataclasses import replace
from random import Random

import torch
from torch import Tensor

from corpus.fault import Fault, Unfit, between
from corpus.plan import Plan
from corpus.surgery import numbers, with_targets
from corpus.task import Rows


def inject(plan: Plan, severity: float, dice: Random) -> Plan:
    """Wrong labels for the rows of training and validation."""
    kind, classes = plan.task.kind, plan.task.outputs
    if kind == "copy":
        raise Unfit
    classes = 10 if kind == "likeness" else classes
    share = between(
        0.05, 0.7 if classes > 2 and kind in ("classes", "likeness", "tokens", "number") else 0.42, severity
    )
    form = dice.choice(("any", "neighbor", "source"))

    def wrong(rows: Rows) -> Rows:
        return with_targets(rows, _noisy(rows, kind, classes, share, form, dice)) if len(rows) else rows

    note = f"{share:.0%} of the labels wrong ({form})"
    return replace(plan, train=wrong(plan.train), held=wrong(plan.held), notes=(*plan.notes, note))


def _hit(rows: Rows, share: float, form: str, dice: Random) -> Tensor:
    """Which rows are labeled wrongly: any, or for a poor source those that are alike in a feature."""
    random = torch.rand(len(rows), generator=numbers(dice))
    if form != "source":
        return random < share
    of_source = rows.inputs.flatten(1)[:, 0].float()
    order = (of_source + 1e-6 * random).argsort()
    hit = torch.zeros(len(rows), dtype=torch.bool)
    hit[order[: round(1.25 * share * len(rows))]] = True
    return hit & (torch.rand(len(rows), generator=numbers(dice)) < 0.8)


def _noisy(rows: Rows, kind: str, classes: int, share: float, form: str, dice: Random) -> Tensor:
    targets = rows.targets
    if kind in ("classes", "likeness", "tokens"):
        moved = torch.randint(1, classes, targets.shape, generator=numbers(dice))
        other = (targets + (1 if form == "neighbor" else moved)) % classes
    elif kind == "number":
        other = targets[torch.randperm(len(targets), generator=numbers(dice))]
    else:
        other = 1 - targets
    if kind in ("tokens", "labels", "mask") and form == "any":
        return torch.where(torch.rand(targets.shape, generator=numbers(dice)) < share, other, targets)
    hit = _hit(rows, share, form, dice)
    return torch.where(hit.view(-1, *[1] * (targets.dim() - 1)), other, targets)


FAULT = Fault(cause="label-noise", inject=inject)
