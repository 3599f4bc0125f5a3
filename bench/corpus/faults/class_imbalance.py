"""Some classes are seldom in training and validation; the twin has as many rows, of all classes alike.

Severity is how seldom they are, and how many of them.
"""

from dataclasses import replace
from random import Random

import torch
from torch import Tensor

from corpus.fault import Fault, between
from corpus.plan import Plan
from corpus.surgery import needs_kind, needs_plain_loss, numbers
from corpus.task import Rows

_LEAST = 5
"""Rows of a seldom class in training."""


def _kinds(rows: Rows) -> Tensor:
    return rows.targets.flatten().long()


def _wanted(plan: Plan, severity: float) -> list[int]:
    """How many rows of each class there are once some are seldom; the same for every seed."""
    dice = Random(f"{severity}")
    counts = torch.bincount(_kinds(plan.task.train))
    classes, most = len(counts), int(counts.min())
    seldom = dice.sample(range(classes), max(1, round(classes * between(0.3, 0.8, severity))))
    few = min(most, max(_LEAST, round(most * between(0.4, 0.03, severity))))
    return [few if kind in seldom[: classes - 1] else most for kind in range(classes)]


def _drawn(rows: Rows, wanted: list[int], dice: Random) -> Rows:
    """As many rows of each class as are wanted, in any order."""
    order = torch.randperm(len(rows), generator=numbers(dice))
    kinds = _kinds(rows)[order]
    chosen = torch.cat([order[kinds == kind][:count] for kind, count in enumerate(wanted)])
    return rows.part(chosen[torch.randperm(len(chosen), generator=numbers(dice))])


def twin(plan: Plan, severity: float, dice: Random) -> Plan:
    """As many rows as the faulty plan has, the classes alike; as many steps as before."""
    needs_kind(plan, "classes", "yes-no")
    needs_plain_loss(plan)
    wanted = _wanted(plan, severity)
    each = -(-sum(wanted) // len(wanted))
    train = _drawn(plan.task.train, [each] * len(wanted), dice)
    epochs = round(plan.epochs * len(plan.train) / len(train))
    batch = min(plan.batch, len(train) // 4)
    return replace(
        plan, train=train, epochs=epochs, batch=batch, notes=(*plan.notes, f"{each} rows of a class")
    )


def inject(plan: Plan, severity: float, dice: Random) -> Plan:
    """Some classes are seldom, in validation as well."""
    wanted = _wanted(plan, severity)
    train = _drawn(plan.task.train, wanted, dice)
    held = plan.held
    if len(held):
        counts = torch.bincount(_kinds(held), minlength=len(wanted)).tolist()
        share = [count / max(wanted) for count in wanted]
        held = _drawn(
            held, [max(1, round(count * part)) for count, part in zip(counts, share, strict=True)], dice
        )
    note = f"rows of the classes: {wanted}"
    return replace(plan, train=train, held=held, notes=(*plan.notes, note))


FAULT = Fault(cause="class-imbalance", inject=inject, twin=twin)
