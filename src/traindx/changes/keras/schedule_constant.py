"""A rate without its schedule."""

from keras.src.optimizers.base_optimizer import BaseOptimizer

from traindx.changes.live.keras_operation import KerasOperation
from traindx.changes.live.keras_program import KerasProgram
from traindx.changes.live.keras_steps import rate_of
from traindx.changes.types import ChangeSpec


def begin(program: KerasProgram, change: ChangeSpec) -> None:
    """Take each step at the rate the optimizer was made with."""

    def factor(optimizer: BaseOptimizer, _: int) -> float:
        now, first = rate_of(optimizer), program.stepping.first_rate(optimizer)
        if now and now != first:
            program.applied(change, f"the rate stays at {first:g}, where the schedule has {now:g}")
        return program.stepping.without_schedule(optimizer)

    program.stepping.multiply_rates(factor)


OPERATION = KerasOperation(name="schedule.constant", begin=begin)
