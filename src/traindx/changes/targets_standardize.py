"""Targets with mean 0 and deviation 1."""

import torch
from torch import Tensor, nn

from traindx.change import Change
from traindx.surgery.operation import Operation
from traindx.surgery.program import Loss, Program, learned_from

_LOSSES = ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss")
_LEAST = 1e-12


def begin(program: Program, change: Change) -> None:
    """Let the model predict standardised targets; what it gives is brought back to their own unit.

    The loss is shown in the program's unit and learned from in standardised units, so that both arms show
    the same thing.
    """
    scale: tuple[float, float] | None = None
    last: nn.Module | None = None
    """The model that was called last: where a program calls several, its output is the prediction."""
    predicts: nn.Module | None = None

    def standardized(original: Loss) -> Loss:
        def loss(given: Tensor, target: Tensor, **settings: object) -> Tensor:
            nonlocal scale, predicts
            shown = original(given, target, **settings)
            if scale is None:
                mean, deviation = float(target.float().mean()), float(target.float().std())
                if not deviation > _LEAST:
                    program.refuse(change, "the targets of the first batch are all the same")
                    return shown
                scale, predicts = (mean, deviation), last
                program.applied(
                    change, f"targets are standardised: mean {mean:.3g}, deviation {deviation:.3g}"
                )
            mean, deviation = scale
            learned = original((given - mean) / deviation, (target - mean) / deviation, **settings)
            return learned_from(shown, learned)

        return loss

    def restored(module: nn.Module, _: object, output: object) -> object:
        nonlocal last
        if any(module is one for one in program.models):
            last = module
        if scale is None or module is not predicts:
            return None
        mean, deviation = scale
        return output * deviation + mean if isinstance(output, Tensor) else None

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
