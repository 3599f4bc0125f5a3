"""The same batch at every step: what cannot be learnt by heart cannot be learnt."""

from traindx.changes.live.batches import hold_loaders, hold_tensors
from traindx.changes.live.operation import Operation
from traindx.changes.live.program import Program
from traindx.changes.types import ChangeSpec


def begin(program: Program, change: ChangeSpec) -> None:
    """Give the first batch of every loader again; without loaders, the first inputs and targets."""
    loaders = hold_loaders(program, change)
    hold_tensors(program, change, unless=lambda: bool(loaders))


OPERATION = Operation(
    name="batches.repeat",
    forms=("batches.repeat",),
    says="give the first batch at every step, as traindx preflight does to see whether it can be learnt",
    begin=begin,
    is_fix=False,
)
