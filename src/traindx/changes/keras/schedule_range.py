"""A rate that rises over many decades, to see where the loss falls and where it runs away."""

from traindx.changes.live.keras_operation import KerasOperation
from traindx.changes.live.keras_program import KerasProgram
from traindx.changes.schedule_range import rising_rates
from traindx.changes.types import ChangeSpec


def begin(program: KerasProgram, change: ChangeSpec) -> None:
    """Let the rate rise from one number to another, by the same factor each step; a schedule scales it."""
    stepping = program.stepping
    stepping.multiply_rates(rising_rates(change, stepping.first_rate, program.applied, program.refuse))


OPERATION = KerasOperation(name="schedule.range", begin=begin)
