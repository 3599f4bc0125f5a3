"""Nothing to learn in the targets: all are the same, or a debug subset of a few rows was left in.

Severity is how few rows are left; severe draws mostly have the same target in every row.
"""

from dataclasses import replace
from random import Random

import torch

from corpus.fault import Fault, Unfit, between
from corpus.plan import Plan
from corpus.surgery import with_targets
from corpus.task import Rows


def inject(plan: Plan, severity: float, dice: Random) -> Plan:
    """A constant target, or a few rows."""
    if severity > 0.4 and dice.random() < 0.6:
        return _constant(plan, dice)
    return _few(plan, severity, dice)


def _constant(plan: Plan, dice: Random) -> Plan:
    """The same target for every row: that of a comparison that never holds, or of the row that was found."""
    if plan.task.kind == "copy":
        raise Unfit
    first = plan.train.targets[dice.randrange(len(plan.train))]
    label = torch.zeros_like(first) if dice.random() < 0.5 or plan.task.kind == "mask" else first
    if plan.task.kind == "tokens":
        label = label.flatten()[0].expand_as(first)

    def same(rows: Rows) -> Rows:
        return with_targets(rows, label.expand_as(rows.targets).clone())

    note = f"all targets {label.flatten()[0].item():.2g}"
    return replace(plan, train=same(plan.train), held=same(plan.held), notes=(*plan.notes, note))


def _few(plan: Plan, severity: float, dice: Random) -> Plan:
    """The first rows alone, for half of the steps, so that they are learned by heart."""
    count = round(between(48, 5, severity))
    batches = -(-count // plan.batch)
    # A last batch of one row has no statistics, and one batch alone makes no step of several.
    if batches < plan.accumulation or count % plan.batch == 1:
        raise Unfit
    epochs = max(plan.epochs, plan.steps * plan.accumulation // (2 * batches))
    note = f"{len(plan.train)} rows -> {count}"
    return replace(plan, train=plan.train.part(slice(count)), epochs=epochs, notes=(*plan.notes, note))


FAULT = Fault(cause="degenerate-labels", inject=inject)
