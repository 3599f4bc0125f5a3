"""The rows are sorted by their targets, and the loader does not shuffle; that of the twin does.

Severity is how strictly they are sorted: mildly, neighbors are only a little more alike than others.
"""

from dataclasses import replace
from random import Random

import torch
from torch import Tensor

from corpus.fault import Fault, Unfit, between
from corpus.plan import Plan
from corpus.surgery import numbers


def twin(plan: Plan, severity: float, dice: Random) -> Plan:
    """Sorted rows and a loader that shuffles."""
    key = _key(plan.train.targets, dice)
    rank = key.argsort(stable=True).argsort().float() / len(key)
    blur = between(1.5, 0.005, severity)
    order = (rank + blur * torch.rand(len(key), generator=numbers(dice))).argsort()
    note = f"rows sorted up to {blur:.2f} of their number"
    return replace(plan, train=plan.train.part(order), notes=(*plan.notes, note))


def _key(targets: Tensor, dice: Random) -> Tensor:
    """What rows are sorted by: their class, in any order of the classes, or how much their targets are."""
    if targets.dim() > 1:
        return targets.flatten(1).float().mean(1)
    classes = int(targets.max()) + 1
    return torch.randperm(classes, generator=numbers(dice))[targets].float()


def inject(plan: Plan, severity: float, dice: Random) -> Plan:
    """In the order of the file."""
    if not plan.shuffle:
        raise Unfit
    return replace(plan, shuffle=False, notes=(*plan.notes, "shuffle True -> False"))


FAULT = Fault(cause="not-shuffled", inject=inject, twin=twin)
