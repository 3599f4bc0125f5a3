"""A rate that is lowered when the loss stands still."""

from keras.src.optimizers.base_optimizer import BaseOptimizer

from traindx.changes.live.keras_operation import KerasOperation
from traindx.changes.live.keras_program import KerasProgram
from traindx.changes.schedule_reduce_on_plateau import GIVES_WAY, Plateau
from traindx.changes.types import ChangeSpec


def begin(program: KerasProgram, change: ChangeSpec) -> None:
    """Divide the rate whenever the mean loss has not fallen for a while, in the place of any schedule."""
    plateau = Plateau(program, change)
    stepping = program.stepping

    def factor(optimizer: BaseOptimizer, _: int) -> float:
        times = stepping.without_schedule(optimizer)
        if times != 1.0:
            program.applied(change, GIVES_WAY)
        return plateau.factor * times

    stepping.multiply_rates(factor)


OPERATION = KerasOperation(name="schedule.reduce_on_plateau", begin=begin)
