"""Another learning rate."""

from keras.src.optimizers.base_optimizer import BaseOptimizer

from traindx.changes.live.keras_operation import KerasOperation
from traindx.changes.live.keras_program import KerasProgram
from traindx.changes.types import ChangeSpec


def begin(program: KerasProgram, change: ChangeSpec) -> None:
    """Multiply the rates, or set the rate the optimizer was made with; schedules go on from there."""

    def factor(optimizer: BaseOptimizer, _: int) -> float:
        rate = program.stepping.first_rate(optimizer)
        times = change.number if change.is_factor else change.number / rate if rate else 1.0
        program.applied(change, f"the learning rate {rate:g} becomes {rate * times:g}")
        return times

    program.stepping.multiply_rates(factor)


OPERATION = KerasOperation(name="optimizer.lr", begin=begin)
