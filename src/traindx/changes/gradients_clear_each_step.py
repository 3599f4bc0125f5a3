"""Gradients cleared after each step."""

from torch.optim import Optimizer

from traindx.changes.live.operation import Operation
from traindx.changes.live.program import Program, parameters_of
from traindx.changes.types import ChangeSpec


def begin(program: Program, change: ChangeSpec) -> None:
    """Drop the gradients as soon as they were used."""

    def clear(optimizer: Optimizer) -> None:
        program.applied(change, "gradients are cleared after each step")
        for one in parameters_of(optimizer):
            one.grad = None

    program.after_step(clear)


OPERATION = Operation(
    name="gradients.clear_each_step",
    forms=("gradients.clear_each_step",),
    says="clear gradients after each step of the optimizer",
    begin=begin,
)
