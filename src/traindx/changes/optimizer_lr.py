"""Another learning rate."""

from torch.optim import Optimizer

from traindx.change import Change
from traindx.surgery.operation import Operation
from traindx.surgery.program import Program
from traindx.surgery.rates import first_rate, multiply_rates


def begin(program: Program, change: Change) -> None:
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
