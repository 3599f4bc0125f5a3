"""Parameters that no optimizer holds, given to one."""

from torch.optim import Optimizer

from traindx.changes.live.operation import Operation
from traindx.changes.live.optimizers import give_missing
from traindx.changes.live.program import Program
from traindx.changes.types import ChangeSpec


def begin(program: Program, change: ChangeSpec) -> None:
    """Give the parameters of all models that were called to the optimizer before its first steps."""
    program.on_model(lambda _: None)

    def add(optimizer: Optimizer) -> None:
        given = give_missing(program, optimizer)
        if given:
            program.applied(
                change, f"{given} parameters that no optimizer held are given to {type(optimizer).__name__}"
            )

    program.before_step(add)


OPERATION = Operation(
    name="optimizer.add_missing_parameters",
    forms=("optimizer.add_missing_parameters",),
    says="give parameters of the model that no optimizer holds to the optimizer",
    begin=begin,
)
