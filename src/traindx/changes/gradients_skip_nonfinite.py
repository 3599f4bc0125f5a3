"""Steps left out whose gradients are no numbers."""

import torch
from torch.optim import Optimizer

from traindx.changes.live.operation import Operation
from traindx.changes.live.program import Program, parameters_of
from traindx.changes.types import ChangeSpec


def begin(program: Program, change: ChangeSpec) -> None:
    """Drop the gradients of a batch that gave a NaN or an infinity."""

    def drop(optimizer: Optimizer) -> None:
        held = [one for one in parameters_of(optimizer) if one.grad is not None]
        if all(bool(torch.isfinite(one.grad).all()) for one in held):
            return
        program.applied(
            change,
            f"batches with gradients that are no numbers are skipped, from step {program.taken + 1} on",
        )
        for one in held:
            one.grad = None

    program.before_step(drop)


OPERATION = Operation(
    name="gradients.skip_nonfinite",
    forms=("gradients.skip_nonfinite",),
    says="take no step on a batch whose gradients hold a NaN or an infinity",
    begin=begin,
)
