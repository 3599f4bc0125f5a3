"""A rate that is lowered when the loss stands still."""

from traindx.change import Change
from traindx.changes.schedule_reduce_on_plateau import Plateau
from traindx.surgery.keras_operation import KerasOperation
from traindx.surgery.keras_program import KerasProgram


def begin(program: KerasProgram, change: Change) -> None:
    """Divide the rate by a number whenever the mean loss has not fallen for a while."""
    plateau = Plateau(program, change)
    program.stepping.multiply_rates(lambda _, __: plateau.factor)


OPERATION = KerasOperation(name="schedule.reduce_on_plateau", begin=begin)
