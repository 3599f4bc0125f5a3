"""More or less weight decay."""

from torch.optim import Optimizer

from traindx.changes.live.operation import Operation
from traindx.changes.live.program import Program
from traindx.changes.types import ChangeSpec


def begin(program: Program, change: ChangeSpec) -> None:
    """Multiply or set the weight decay of every optimizer."""

    def set_decay(optimizer: Optimizer) -> None:
        if "weight_decay" not in optimizer.param_groups[0]:
            program.refuse(change, f"{type(optimizer).__name__} has no weight decay")
            return
        decays = any(float(group["weight_decay"]) for group in optimizer.param_groups)
        for group in optimizer.param_groups:
            before = float(group["weight_decay"])
            if decays and not before:
                # Biases and norms that the program keeps from decaying.
                continue
            group["weight_decay"] = change.scaled(before)
            if group["weight_decay"] != before:
                program.applied(change, f"the weight decay {before:g} becomes {group['weight_decay']:g}")

    program.once_per_optimizer(set_decay)


OPERATION = Operation(
    name="regularize.weight_decay",
    forms=("regularize.weight_decay 0.05", "regularize.weight_decay x 0.1"),
    says="multiply or set the weight decay",
    begin=begin,
)
