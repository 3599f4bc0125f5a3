"""Weight decay apart from the gradient."""

import torch
from torch.optim import Optimizer

from traindx.changes.live.operation import Operation
from traindx.changes.live.program import Program
from traindx.changes.types import ChangeSpec


def begin(program: Program, change: ChangeSpec) -> None:
    """Shrink weights by rate times decay, as AdamW does, and keep the decay out of the gradient."""
    kept: dict[int, list[float]] = {}

    def begins(optimizer: Optimizer) -> None:
        decays = [float(group.get("weight_decay") or 0.0) for group in optimizer.param_groups]
        if any(group.get("decoupled_weight_decay") for group in optimizer.param_groups):
            program.refuse(change, f"{type(optimizer).__name__} keeps its weight decay apart already")
            return
        if not any(decays):
            program.refuse(change, f"{type(optimizer).__name__} has no weight decay")
            return
        kept[id(optimizer)] = decays
        program.applied(change, f"the weight decay {max(decays):g} is kept out of the gradient")
        for group, decay in zip(optimizer.param_groups, decays, strict=True):
            group["weight_decay"] = 0.0
            with torch.no_grad():
                for one in group["params"]:
                    # As AdamW: what took no part in the loss is left alone.
                    if one.grad is not None:
                        one.mul_(1 - float(group["lr"]) * decay)

    def ends(optimizer: Optimizer) -> None:
        for group, decay in zip(optimizer.param_groups, kept.pop(id(optimizer), []), strict=False):
            group["weight_decay"] = decay

    program.before_step(begins)
    program.after_step(ends)


OPERATION = Operation(
    name="optimizer.decoupled_weight_decay",
    forms=("optimizer.decoupled_weight_decay",),
    says="apply weight decay to the weights, not to the gradient",
    begin=begin,
)
