"""Inputs in the units they were measured in: an offset, a scale, a scale for each feature, or pixels to 255.

Training, validation and test rows are alike. Severity is how far offset and scale are from 0 and 1.
"""

from collections.abc import Callable
from dataclasses import replace
from random import Random

import torch
from torch import Tensor, nn

from corpus.fault import Fault, Unfit, between
from corpus.plan import Plan
from corpus.surgery import needs_measurements, numbers, with_inputs
from corpus.task import Rows

Measured = Callable[[Tensor], Tensor]


def inject(plan: Plan, severity: float, dice: Random) -> Plan:
    """One of the forms, for all rows."""
    needs_measurements(plan)
    if (
        any(isinstance(module, (nn.BatchNorm1d, nn.BatchNorm2d)) for module in plan.model.modules())
        and dice.random() < 0.7
    ):
        # What its first layer gives is normalized at once: such a model hardly ever minds.
        raise Unfit
    form = dice.choice(
        ("pixels", "offset", "both") if plan.task.form == "image" else ("offset", "scale", "units")
    )
    measured, note = _measured(plan.train.inputs, form, severity, dice)

    def raw(rows: Rows) -> Rows:
        return with_inputs(rows, measured(rows.inputs))

    return replace(
        plan, train=raw(plan.train), held=raw(plan.held), test=raw(plan.test), notes=(*plan.notes, note)
    )


def _measured(inputs: Tensor, form: str, severity: float, dice: Random) -> tuple[Measured, str]:
    if form == "pixels":
        low, high, most = inputs.min(), inputs.max(), between(16, 255, severity)
        return lambda x: (x - low) / (high - low) * most, f"pixels from 0 to {most:.0f}"
    if form == "offset":
        offset = between(2, 1000, severity)
        return lambda x: x + offset, f"offset {offset:.1f}"
    if form == "both":
        offset, scale = between(2, 1000, severity), between(2, 255, severity)
        return lambda x: x * scale + offset, f"scale {scale:.1f}, offset {offset:.1f}"
    if form == "scale":
        scale = between(3, 3000, severity)
        return lambda x: x * scale, f"scale {scale:.1f}"
    # Every feature has a unit and a zero of its own.
    spread, width = between(0.3, 2.5, severity), inputs.shape[-1]
    units = 10 ** (spread * torch.randn(width, generator=numbers(dice)))
    zeros = between(0.3, 10, severity) * torch.randn(width, generator=numbers(dice))
    return lambda x: (x + zeros) * units, f"units over {2 * spread:.1f} powers of ten"


FAULT = Fault(cause="unnormalized-inputs", inject=inject)
