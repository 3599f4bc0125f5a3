"""A few training rows lie far out: a cell, a feature in another unit, or a whole row.

Severity is how many they are and how far out.
"""

from dataclasses import replace
from random import Random

import torch

from corpus.fault import Fault, between
from corpus.plan import Plan
from corpus.surgery import needs_measurements, numbers
from corpus.task import Rows


def inject(plan: Plan, severity: float, dice: Random) -> Plan:
    """Some rows are made outliers; where the target is the input, it goes along."""
    needs_measurements(plan)
    share, factor = between(2e-3, 3e-2, severity), between(8, 5e3, severity)
    count = max(1, round(share * len(plan.train)))
    chosen = torch.randperm(len(plan.train), generator=numbers(dice))[:count]
    flat = plan.train.inputs.clone().flatten(1)
    form = dice.choice(("cell", "feature", "row"))
    if form == "row":
        flat[chosen] *= factor
    elif form == "cell":
        places = torch.randint(flat.shape[1], (count,), generator=numbers(dice))
        flat[chosen, places] = factor * (1 + flat[chosen, places].abs())
    else:
        feature = dice.randrange(flat.shape[1])
        flat[chosen, feature] = factor * (1 + flat[chosen, feature])
    targets = flat if plan.task.kind == "copy" else plan.train.targets
    note = f"{count} rows {factor:.0f} times out ({form})"
    train = Rows(flat.view_as(plan.train.inputs), targets)
    return replace(plan, train=train, notes=(*plan.notes, note))


FAULT = Fault(cause="input-outliers", inject=inject)
