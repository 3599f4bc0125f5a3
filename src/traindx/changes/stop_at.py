"""An earlier end."""

from traindx.changes.live.operation import Operation
from traindx.changes.live.program import Program
from traindx.changes.types import ChangeSpec
from traindx.errors import TraindxError


def begin(program: Program, change: ChangeSpec) -> None:
    """End after so many steps; the recorder does it, as it ends every arm."""
    if change.number < 1:
        raise TraindxError(f'"{change}": a run takes one step at least')
    program.applied(change, f"the run ends after step {round(change.number)}")


OPERATION = Operation(
    name="stop.at",
    forms=("stop.at 400",),
    says="end the run after so many steps, where the validation loss was best",
    begin=begin,
)
