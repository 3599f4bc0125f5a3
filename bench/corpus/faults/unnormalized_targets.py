"""A regression on targets as they were measured: large, tiny, far from zero, or each in a unit of its own.

Severity is how far scale and offset are from 1 and 0. The bench reads the answers in the old unit.
"""

from dataclasses import replace
from random import Random

import torch
from torch import Tensor

from corpus.fault import Fault, between
from corpus.plan import Plan
from corpus.surgery import needs_kind, numbers, with_targets
from corpus.task import Rows


def inject(plan: Plan, severity: float, dice: Random) -> Plan:
    """Targets in another unit for training and validation."""
    needs_kind(plan, "number", "copy")
    width = plan.train.targets.shape[1]
    scale, offset = torch.ones(width), torch.zeros(width)
    form = dice.choice(("large", "far", "price", "tiny", *(["units", "units"] if width > 1 else [])))
    if form in ("large", "price"):
        scale = scale * between(1.3, 1500, severity)
    if form == "tiny":
        scale = scale * between(0.7, 1e-5, severity)
    if form in ("far", "price"):
        offset = scale * between(0.2, 300, severity)
    if form == "units":
        scale = 10 ** (between(0.1, 1.5, severity) * torch.randn(width, generator=numbers(dice)))

    def raw(rows: Rows) -> Rows:
        return with_targets(rows, rows.targets * scale + offset)

    def answer(predictions: Tensor) -> Tensor:
        return (predictions - offset) / scale

    note = f"targets {form}: times {float(scale.mean()):.2g} plus {float(offset.mean()):.2g}"
    return replace(plan, train=raw(plan.train), held=raw(plan.held), answer=answer, notes=(*plan.notes, note))


FAULT = Fault(cause="unnormalized-targets", inject=inject)
