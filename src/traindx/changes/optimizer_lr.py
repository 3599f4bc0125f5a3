"""Another learning rate."""

from torch.optim import Optimizer

from traindx.changes.live.operation import Operation
from traindx.changes.live.optimizers import first_rate, multiply_rates
from traindx.changes.live.program import Program
from traindx.changes.types import ChangeSpec


def begin(program: Program, change: ChangeSpec) -> None:
    """Multiply the rates, or set the rate the optimizer was made with; schedules go on from there."""

    def factor(optimizer: Optimizer, _: int) -> float:
        rate = first_rate(optimizer)
        times = change.number if change.is_factor else change.number / rate if rate else 1.0
        program.applied(change, f"the learning rate {rate:g} becomes {rate * times:g}")
        return times

    multiply_rates(program, factor)


OPERATION = Operation(
    name="optimizer.lr",
    forms=("optimizer.lr x 0.1", "optimizer.lr 0.001"),
    says="multiply or set the learning rate; a schedule of the program scales it as before",
    begin=begin,
)
