"""A warm-up of the learning rate."""

from traindx.changes.live.operation import Operation
from traindx.changes.live.optimizers import multiply_rates
from traindx.changes.live.program import Program
from traindx.changes.types import ChangeSpec

_MOST = 0.3
"""Of the run: a warm-up that never ends is another rate."""


def length_of(change: ChangeSpec, steps: int | None) -> int:
    """How many steps the rate rises for, in a run of so many where that is known."""
    wanted = max(1, round(change.number))
    return min(wanted, max(1, int(_MOST * steps))) if steps else wanted


def begin(program: Program, change: ChangeSpec) -> None:
    """Let the rate rise in a line over so many steps."""
    length = length_of(change, program.steps)
    program.applied(change, f"the rate rises over the first {length} steps")
    multiply_rates(program, lambda _, taken: min(1.0, (taken + 1) / length))


OPERATION = Operation(
    name="schedule.warmup",
    forms=("schedule.warmup 500",),
    says="let the rate rise over so many steps, at most three tenths of the run",
    begin=begin,
)
