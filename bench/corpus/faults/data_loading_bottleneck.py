"""The loader is slow: every row waits for a disk, or is checked value by value in Python.

Severity is how long this takes in the whole training, from a fraction of a second to several.
"""

import math
import time
from dataclasses import dataclass, replace
from random import Random

from torch import Tensor
from torch.utils.data import Dataset

from corpus.fault import Fault, Harm, between
from corpus.plan import Plan
from corpus.task import Rows

_VALUE_SECONDS = 6e-8
"""About what it takes to check one value."""


@dataclass(frozen=True, eq=False)
class SlowDisk(Dataset[tuple[Tensor, ...]]):
    """Rows that come over a network, each after some seconds, or in blocks after more."""

    rows: Rows
    seconds: float
    block: int
    """Rows that come together."""

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: int) -> tuple[Tensor, ...]:
        if index % self.block == 0:
            time.sleep(self.seconds * self.block)
        return self.rows.inputs[index], self.rows.targets[index]


@dataclass(frozen=True, eq=False)
class CheckedRows(Dataset[tuple[Tensor, ...]]):
    """Rows of which every value is looked at in Python before it is used, several times over."""

    rows: Rows
    passes: int

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: int) -> tuple[Tensor, ...]:
        values = self.rows.inputs[index].flatten().tolist()
        for _ in range(self.passes):
            if not all(math.isfinite(value) for value in values):
                raise ValueError(f"row {index} is not finite")
        return self.rows.inputs[index], self.rows.targets[index]


def inject(plan: Plan, severity: float, dice: Random) -> Plan:
    """A data set that takes some seconds more in the whole training."""
    seconds = between(0.3, 6, severity)
    each = seconds / (plan.epochs * len(plan.train))
    if dice.random() < 0.5:
        block = dice.choice((1, 1, 4, 16))
        note = f"every row waits {1000 * each:.2f} ms for the disk, {block} at a time"
        return replace(plan, dataset=lambda rows: SlowDisk(rows, each, block), notes=(*plan.notes, note))
    passes = max(1, round(each / (_VALUE_SECONDS * plan.train.inputs[0].numel())))
    note = f"every row is checked {passes} times in Python"
    return replace(plan, dataset=lambda rows: CheckedRows(rows, passes), notes=(*plan.notes, note))


FAULT = Fault(cause="data-loading-bottleneck", inject=inject, harm=Harm.TIME)
