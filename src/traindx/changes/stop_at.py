"""An earlier end."""

from traindx.change import Change
from traindx.surgery.operation import Operation
from traindx.surgery.program import Program


def begin(program: Program, change: Change) -> None:
    """End after so many steps; the recorder does it, as it ends every arm."""
    program.applied(change, f"the run ends after step {round(change.number)}")


OPERATION = Operation(
    name="stop.at",
    forms=("stop.at 400",),
    says="end the run after so many steps, where the validation loss was best",
    begin=begin,
)
