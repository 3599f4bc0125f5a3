"""NaN or infinity in some of the inputs: single cells, whole rows, or reads that now and then fail.

Severity is the share of rows that have it; the mildest draws have it in the validation rows alone.
"""

from dataclasses import dataclass, replace
from random import Random

import torch
from torch import Tensor
from torch.utils.data import Dataset

from corpus.fault import Fault, between
from corpus.plan import Plan
from corpus.surgery import needs_held, needs_measurements, numbers, with_inputs
from corpus.task import Rows

_MILD = 0.2


@dataclass(frozen=True, eq=False)
class FailingReads(Dataset[tuple[Tensor, ...]]):
    """Rows of which a read now and then divides by an empty count, and gives NaN."""

    rows: Rows
    share: float
    dice: Random

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: int) -> tuple[Tensor, ...]:
        inputs = self.rows.inputs[index]
        count = float(self.dice.random() >= self.share)
        return inputs * count / torch.tensor(count), self.rows.targets[index]


def spoilt(rows: Rows, share: float, dice: Random) -> Rows:
    """Rows of which a share, one at least, is not finite in a cell or throughout."""
    count = max(1, round(share * len(rows)))
    chosen = torch.randperm(len(rows), generator=numbers(dice))[:count]
    value = dice.choice((float("nan"), float("nan"), float("inf"), float("-inf")))
    flat = rows.inputs.clone().flatten(1)
    if dice.random() < 0.3:
        flat[chosen] = value
    else:
        flat[chosen, torch.randint(flat.shape[1], (count,), generator=numbers(dice))] = value
    return with_inputs(rows, flat.view_as(rows.inputs))


def inject(plan: Plan, severity: float, dice: Random) -> Plan:
    """In the training rows, or for mild draws in those for validation."""
    needs_measurements(plan)
    if severity < _MILD:
        needs_held(plan)
        held = spoilt(plan.held, 0.02, dice)
        return replace(plan, held=held, notes=(*plan.notes, "not finite in the validation rows"))
    share = between(1e-3, 5e-2, severity)
    if dice.random() < 0.25:
        source, chance = Random(dice.random()), share / 10
        note = f"{chance:.2%} of the reads give NaN"
        return replace(
            plan, dataset=lambda rows: FailingReads(rows, chance, source), notes=(*plan.notes, note)
        )
    note = f"not finite in {share:.1%} of the training rows"
    return replace(plan, train=spoilt(plan.train, share, dice), notes=(*plan.notes, note))


FAULT = Fault(cause="non-finite-inputs", inject=inject)
