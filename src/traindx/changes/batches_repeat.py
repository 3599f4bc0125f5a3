"""The same batch at every step: what cannot be learnt by heart cannot be learnt."""

from traindx.change import Change
from traindx.surgery.held_batches import hold_loaders, hold_tensors
from traindx.surgery.operation import Operation
from traindx.surgery.program import Program


def begin(program: Program, change: Change) -> None:
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
