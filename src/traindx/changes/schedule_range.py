"""A rate that rises over many decades, to see where the loss falls and where it runs away."""

from torch.optim import Optimizer

from traindx.change import Change
from traindx.learning_rate import rising
from traindx.surgery.operation import Operation
from traindx.surgery.program import Program
from traindx.surgery.rates import first_rate, multiply_rates

NO_RATE = "the program's learning rate is 0, and no multiple of it is another one"


def begin(program: Program, change: Change) -> None:
    """Let the rate rise from one number to another, by the same factor each step; a schedule scales it."""
    low, high, steps = map(float, change.words)

    def factor(optimizer: Optimizer, taken: int) -> float:
        rate = first_rate(optimizer)
        if not rate:
            program.refuse(change, NO_RATE)
            return 1.0
        program.applied(change, f"the learning rate {rate:g} is replaced by a range of rates")
        return rising(rate, low, high, steps, taken) / rate

    multiply_rates(program, factor)


OPERATION = Operation(
    name="schedule.range",
    forms=("schedule.range 1e-7 10 75",),
    says="let the rate rise from one number to another over so many steps, as traindx lr-find does",
    begin=begin,
)
