"""Another momentum."""

from torch.optim import Optimizer

from traindx.changes.live.operation import Operation
from traindx.changes.live.program import Program
from traindx.changes.types import ChangeSpec


def begin(program: Program, change: ChangeSpec) -> None:
    """Set the momentum, or the first of two betas."""

    def set_momentum(optimizer: Optimizer) -> None:
        group = optimizer.param_groups[0]
        if "momentum" not in group and "betas" not in group:
            program.refuse(change, f"{type(optimizer).__name__} has no momentum")
            return
        for one in optimizer.param_groups:
            if "betas" in one:
                before = float(one["betas"][0])
                one["betas"] = (change.scaled(before), *one["betas"][1:])
            else:
                before = float(one["momentum"])
                one["momentum"] = change.scaled(before)
            program.applied(change, f"the momentum {before:g} becomes {change.scaled(before):g}")

    program.once_per_optimizer(set_momentum)


OPERATION = Operation(
    name="optimizer.momentum",
    forms=("optimizer.momentum 0.9",),
    says="set the momentum, or the first beta of Adam",
    begin=begin,
)
