"""A rate without its schedule."""

from torch.optim import Optimizer

from traindx.changes.live.operation import Operation
from traindx.changes.live.optimizers import first_rate, multiply_rates, without_schedule
from traindx.changes.live.program import Program
from traindx.changes.types import ChangeSpec


def begin(program: Program, change: ChangeSpec) -> None:
    """Take each step at the rate the optimizer was made with."""

    def factor(optimizer: Optimizer, _: int) -> float:
        now = float(optimizer.param_groups[0].get("lr", 0.0))
        first = first_rate(optimizer)
        if now and now != first:
            program.applied(change, f"the rate stays at {first:g}, where the schedule has {now:g}")
        return without_schedule(optimizer)

    multiply_rates(program, factor)


OPERATION = Operation(
    name="schedule.constant",
    forms=("schedule.constant",),
    says="keep the rate where it began, whatever the schedule of the program says",
    begin=begin,
)
