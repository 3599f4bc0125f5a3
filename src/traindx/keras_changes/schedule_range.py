"""A rate that rises over many decades, to see where the loss falls and where it runs away."""

from keras.src.optimizers.base_optimizer import BaseOptimizer

from traindx.change import Change
from traindx.changes.schedule_range import NO_RATE
from traindx.learning_rate import rising
from traindx.surgery.keras_operation import KerasOperation
from traindx.surgery.keras_program import KerasProgram


def begin(program: KerasProgram, change: Change) -> None:
    """Let the rate rise from one number to another, by the same factor each step; a schedule scales it."""
    low, high, steps = map(float, change.words)

    def factor(optimizer: BaseOptimizer, taken: int) -> float:
        rate = program.stepping.first_rate(optimizer)
        if not rate:
            program.refuse(change, NO_RATE)
            return 1.0
        program.applied(change, f"the learning rate {rate:g} is replaced by a range of rates")
        return rising(rate, low, high, steps, taken) / rate

    program.stepping.multiply_rates(factor)


OPERATION = KerasOperation(name="schedule.range", begin=begin)
