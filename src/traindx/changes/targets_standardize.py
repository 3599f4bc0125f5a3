"""Targets with mean 0 and deviation 1."""

import torch
from torch import Tensor, nn

from traindx.changes.live.batches import TargetScale, scale_of
from traindx.changes.live.operation import Operation
from traindx.changes.live.program import Loss, Program, learned_from
from traindx.changes.types import ChangeSpec

_LOSSES = ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss")


def begin(program: Program, change: ChangeSpec) -> None:
    """Let the model predict standardised targets; what it gives is brought back to their own unit.

    The loss is shown in the program's unit and learned from in standardised units, so that both arms show
    the same thing.
    """
    scale: TargetScale | None = None
    last: nn.Module | None = None
    """The model that was called last: where a program calls several, its output is the prediction."""
    predicts: nn.Module | None = None

    def standardized(original: Loss) -> Loss:
        def loss(given: Tensor, target: Tensor, **settings: object) -> Tensor:
            nonlocal scale, predicts
            if scale is None:
                scale = scale_of(target)
                if scale is None:
                    program.refuse(change, "the targets of the first batch are all the same")
                    return original(given, target, **settings)
                predicts = last
                program.applied(change, f"targets are standardised: {scale}")
                # What the model gave before the scale was known is in standardised units already.
                given = scale.restored(given)
            shown = original(given, target, **settings)
            learned = original(scale.standardized(given), scale.standardized(target), **settings)
            return learned_from(shown, learned)

        return loss

    def restored(module: nn.Module, _: object, output: object) -> object:
        nonlocal last
        if any(module is one for one in program.models):
            last = module
        if scale is None or module is not predicts:
            return None
        return scale.restored(output) if isinstance(output, Tensor) else None

    program.on_model(lambda _: None)
    handle = torch.nn.modules.module.register_module_forward_hook(restored)
    program.patches.on_undo(handle.remove)
    program.replace_losses(_LOSSES, standardized)


OPERATION = Operation(
    name="targets.standardize",
    forms=("targets.standardize",),
    says="let a regression learn targets with mean 0 and deviation 1; predictions keep their unit",
    begin=begin,
)
