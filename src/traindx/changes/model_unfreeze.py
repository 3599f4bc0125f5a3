"""Frozen parameters, let go."""

from torch import nn
from torch.optim import Optimizer

from traindx.changes.live.operation import Operation
from traindx.changes.live.optimizers import give_missing
from traindx.changes.live.program import Program
from traindx.changes.types import ChangeSpec


def begin(program: Program, change: ChangeSpec) -> None:
    """Let every parameter learn, and give it to the optimizer."""

    def thaw(model: nn.Module) -> None:
        frozen = [one for one in model.parameters() if not one.requires_grad and one.is_floating_point()]
        if frozen:
            program.applied(change, f"{len(frozen)} frozen parameters learn")
        for one in frozen:
            one.requires_grad_(True)

    def add(optimizer: Optimizer) -> None:
        give_missing(program, optimizer)

    program.on_model(thaw)
    program.before_step(add)


OPERATION = Operation(
    name="model.unfreeze",
    forms=("model.unfreeze",),
    says="let all parameters learn, and give them to the optimizer",
    begin=begin,
)
