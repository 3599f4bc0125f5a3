"""Train and eval mode as they belong."""

import torch
from torch import nn

from traindx.change import Change
from traindx.surgery.operation import Operation
from traindx.surgery.program import Program


def begin(program: Program, change: Change) -> None:
    """Put a model into train mode where gradients are taken, and into eval mode where none are."""

    def restore(model: nn.Module, _: tuple[object, ...]) -> None:
        learns = torch.is_grad_enabled()
        if model.training != learns:
            program.applied(
                change, f"the model is put into {'train' if learns else 'eval'} mode where it was not"
            )
            model.train(learns)

    program.on_input(restore)


OPERATION = Operation(
    name="model.restore_mode",
    forms=("model.restore_mode",),
    says="train mode while gradients are taken, eval mode under no_grad",
    begin=begin,
)
