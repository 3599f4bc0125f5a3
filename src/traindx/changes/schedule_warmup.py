"""A warm-up of the learning rate."""

from traindx.change import Change
from traindx.surgery.operation import Operation
from traindx.surgery.program import Program
from traindx.surgery.rates import multiply_rates

_MOST = 0.3
"""Of the run: a warm-up that never ends is another rate."""


def begin(program: Program, change: Change) -> None:
    """Let the rate rise in a line over so many steps."""
    wanted = max(1, round(change.number))
    length = min(wanted, max(1, int(_MOST * program.steps))) if program.steps else wanted
    program.applied(change, f"the rate rises over the first {length} steps")
    multiply_rates(program, lambda _, taken: min(1.0, (taken + 1) / length))


OPERATION = Operation(
    name="schedule.warmup",
    forms=("schedule.warmup 500",),
    says="let the rate rise over so many steps, at most a third of the run",
    begin=begin,
)
