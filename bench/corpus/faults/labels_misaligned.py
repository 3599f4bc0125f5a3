"""Inputs and labels do not belong together.

They were shuffled apart, sorted alone, shifted after a dropped row or along the sequence, or pictures were
flipped without their masks. Mild draws have it in the validation rows alone; severe ones everywhere in
training.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random

import torch
from torch import Tensor
from torch.utils.data import Dataset

from corpus.fault import Fault, Unfit
from corpus.plan import Plan
from corpus.surgery import needs_held, numbers, with_targets
from corpus.task import Rows

_MILD = 0.2


@dataclass(frozen=True, eq=False)
class FlippedPictures(Dataset[tuple[Tensor, ...]]):
    """Augmentation that turns and flips the picture and forgets the mask."""

    rows: Rows
    dice: Random

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: int) -> tuple[Tensor, ...]:
        turned = torch.rot90(self.rows.inputs[index], self.dice.randrange(4), (-2, -1))
        return (turned.flip(-1) if self.dice.random() < 0.5 else turned), self.rows.targets[index]


def inject(plan: Plan, severity: float, dice: Random) -> Plan:
    """One of the forms, before the split or after it."""
    if plan.task.kind == "copy":
        raise Unfit
    if plan.task.kind == "mask" and severity >= _MILD and dice.random() < 0.5:
        source = Random(dice.random())
        return replace(
            plan,
            dataset=lambda rows: FlippedPictures(rows, source),
            notes=(*plan.notes, "pictures flipped without their masks"),
        )
    form = dice.choice(
        ("shuffled", "sorted", "dropped", *(["shifted"] if plan.task.kind == "tokens" else []))
    )
    moved = _moved(plan, form, severity, dice)
    if severity < _MILD:
        needs_held(plan)
        return replace(plan, held=moved(plan.held), notes=(*plan.notes, f"validation labels {form}"))
    held = moved(plan.held) if len(plan.held) and dice.random() < 0.7 else plan.held
    where = "training" if held is plan.held else "all"
    return replace(plan, train=moved(plan.train), held=held, notes=(*plan.notes, f"{where} labels {form}"))


def _moved(plan: Plan, form: str, severity: float, dice: Random) -> Callable[[Rows], Rows]:
    if form == "shuffled":
        return lambda rows: with_targets(
            rows, rows.targets[torch.randperm(len(rows), generator=numbers(dice))]
        )
    if form == "shifted":
        places = dice.choice((-1, 1))
        return lambda rows: with_targets(rows, rows.targets.roll(places, 1))
    if form == "sorted":
        return lambda rows: with_targets(
            rows,
            rows.targets[rows.targets.flatten(1).float().mean(1).argsort()]
            if rows.targets.dim() > 1
            else rows.targets.sort().values,
        )
    share = 0.15 * (1 - severity)

    def dropped(rows: Rows) -> Rows:
        """From the dropped row on, everyone has the label of the next."""
        first = round(share * len(rows))
        return with_targets(rows, torch.cat([rows.targets[:first], rows.targets[first:].roll(-1, 0)]))

    return dropped


FAULT = Fault(cause="labels-misaligned", inject=inject)
