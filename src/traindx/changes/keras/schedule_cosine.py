"""A rate that falls along a cosine."""

import math

from keras.src.optimizers.base_optimizer import BaseOptimizer

from traindx.changes.live.keras_operation import KerasOperation
from traindx.changes.live.keras_program import KerasProgram
from traindx.changes.types import ChangeSpec

_LEAST = 0.01


def begin(program: KerasProgram, change: ChangeSpec) -> None:
    """Let the rate fall to a hundredth by the end of the run, in the place of any schedule of the program."""
    length = program.steps
    if not length:
        program.refuse(change, "it is not known how many steps the run takes; name them with --steps")
        return

    def factor(optimizer: BaseOptimizer, taken: int) -> float:
        program.applied(change, f"the rate falls along a cosine over {length} steps")
        falling = 0.5 * (1 + math.cos(math.pi * min(1.0, taken / length)))
        return max(_LEAST, falling) * program.stepping.without_schedule(optimizer)

    program.stepping.multiply_rates(factor)


OPERATION = KerasOperation(name="schedule.cosine", begin=begin)
