"""A rate that falls along a cosine."""

import math

from torch.optim import Optimizer

from traindx.changes.live.operation import Operation
from traindx.changes.live.optimizers import multiply_rates, without_schedule
from traindx.changes.live.program import Program
from traindx.changes.types import ChangeSpec

_LEAST = 0.01


def begin(program: Program, change: ChangeSpec) -> None:
    """Let the rate fall to a hundredth by the end of the run, in the place of any schedule of the program."""
    length = program.steps
    if not length:
        program.refuse(change, "it is not known how many steps the run takes; name them with --steps")
        return
    program.applied(change, f"the rate falls along a cosine over {length} steps")

    def factor(optimizer: Optimizer, taken: int) -> float:
        falling = 0.5 * (1 + math.cos(math.pi * min(1.0, taken / length)))
        return max(_LEAST, falling) * without_schedule(optimizer)

    multiply_rates(program, factor)


OPERATION = Operation(
    name="schedule.cosine",
    forms=("schedule.cosine",),
    says="let the rate fall along a cosine until the end of the run, instead of any other schedule",
    begin=begin,
)
