"""Targets in the shape of the predictions."""

from torch import Tensor

from traindx.change import Change
from traindx.surgery.operation import Operation
from traindx.surgery.program import Loss, Program

_LOSSES = ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss")


def begin(program: Program, change: Change) -> None:
    """Give targets the shape of predictions where both hold as many numbers."""

    def matched(original: Loss) -> Loss:
        def loss(given: Tensor, target: Tensor, **settings: object) -> Tensor:
            if given.shape != target.shape and given.numel() == target.numel():
                says = f"targets of shape {tuple(target.shape)} get the shape {tuple(given.shape)}"
                program.applied(change, says)
                target = target.reshape(given.shape)
            return original(given, target, **settings)

        return loss

    # In validation as well: a loss that compares all with all says nothing there either.
    program.replace_losses(_LOSSES, matched, while_validating=True)


OPERATION = Operation(
    name="targets.match_shape",
    forms=("targets.match_shape",),
    says="give targets the shape of predictions where both hold as many numbers",
    begin=begin,
    alters_loss=True,
)
