"""A warm-up of the learning rate."""

from traindx.changes.live.keras_operation import KerasOperation
from traindx.changes.live.keras_program import KerasProgram
from traindx.changes.schedule_warmup import length_of
from traindx.changes.types import ChangeSpec


def begin(program: KerasProgram, change: ChangeSpec) -> None:
    """Let the rate rise in a line over so many steps."""
    length = length_of(change, program.steps)

    def factor(_: object, taken: int) -> float:
        program.applied(change, f"the rate rises over the first {length} steps")
        return min(1.0, (taken + 1) / length)

    program.stepping.multiply_rates(factor)


OPERATION = KerasOperation(name="schedule.warmup", begin=begin)
