"""Targets with mean 0 and deviation 1."""

from __future__ import annotations

from typing import TYPE_CHECKING

from traindx.changes.source.arrays import arrays_of, named, place_of, remade
from traindx.changes.source.source import Source
from traindx.changes.types import Change, ChangeSpec, Edited, RefusedError
from traindx.facts import LOSS_FUNCTION, LOSS_PLACE, SCRIPT
from traindx.run import Run

if TYPE_CHECKING:
    import keras
    from torch import Tensor, nn

    from traindx.changes.live.batches import TargetScale
    from traindx.changes.live.keras_program import KerasLoss, KerasProgram
    from traindx.changes.live.program import Loss, Program

_LOSSES = ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss")
_KERAS_LOSSES = ("mean_squared_error", "mean_absolute_error", "huber", "log_cosh")
_MEAN, _STD = "target_mean", "target_std"
_OF_NUMBERS = (
    "mse_loss",
    "l1_loss",
    "smooth_l1_loss",
    "huber_loss",
    "mean_squared_error",
    "mean_absolute_error",
)


def _torch(program: Program, change: ChangeSpec) -> None:
    """Let the model predict standardised targets; what it gives is brought back to their own unit.

    The loss is shown in the program's unit and learned from in standardised units, so that both arms show
    the same thing.
    """
    import torch
    from torch import Tensor

    from traindx.changes.live.batches import scale_of
    from traindx.changes.live.program import learned_from

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


def _keras(program: KerasProgram, change: ChangeSpec) -> None:
    """Let the model predict standardised targets; what it gives is brought back to their own unit.

    The loss is shown in the program's unit and learned from in standardised units, so that both arms show
    the same thing.
    """
    from traindx.changes.live.batches import scale_of
    from traindx.changes.live.keras_layers import graph_of
    from traindx.changes.live.keras_program import kind_of
    from traindx.changes.live.program import learned_from

    scale: TargetScale | None = None
    outputs = 1

    def standardized(original: KerasLoss) -> KerasLoss:
        def compute(loss: keras.losses.Loss, target: Tensor, given: Tensor, weights: Tensor | None) -> Tensor:
            nonlocal scale
            if kind_of(loss) not in _KERAS_LOSSES or outputs > 1:
                program.refuse(change, "the model is no regression with one output")
                return original(loss, target, given, weights)
            if scale is None:
                scale = scale_of(target)
                if scale is None:
                    program.refuse(change, "the targets of the first batch are all the same")
                    return original(loss, target, given, weights)
                program.applied(change, f"targets are standardised: {scale}")
                # What the model gave before the scale was known is in standardised units already.
                given = scale.restored(given)
            shown = original(loss, target, given, weights)
            aims, answers = scale.standardized(target), scale.standardized(given)
            return learned_from(shown, original(loss, aims, answers, weights))

        return compute

    def count(model: keras.Layer) -> None:
        nonlocal outputs
        graph = graph_of(model)
        outputs = max(outputs, len(graph.outputs) if graph is not None else 1)

    def restored(_: keras.Layer, output: Tensor) -> Tensor:
        return output if scale is None else scale.restored(output)

    program.on_model(count)
    program.on_output(restored)
    program.replace_losses(standardized)


def _edit(source: Source, _: ChangeSpec, run: Run) -> Edited:
    """Standardise the targets by their training rows; predictions are then in deviations from the mean."""
    loss = run.facts.get(LOSS_FUNCTION)
    if loss is not None and loss not in _OF_NUMBERS:
        raise RefusedError(f"{loss} compares no numbers that could be standardised")
    arrays = arrays_of(source, run, 1)
    rows = arrays.fitted
    statistics = f"{_MEAN}, {_STD} = {rows}.mean(), {rows}.std()"
    undone = f"  # a prediction * {_STD} + {_MEAN} has the old unit"
    parts = remade(source, arrays, [statistics + undone], _standard, [_MEAN, _STD])
    says = f"{named(arrays)} standardised behind {place_of(source, arrays)}"
    return Edited(parts, f"{says}; losses and predictions are in deviations from the mean then")


def _standard(array: str) -> str:
    return f"({array} - {_MEAN}) / {_STD}"


CHANGE = Change(
    name="targets.standardize",
    forms=("targets.standardize",),
    says="let a regression learn targets with mean 0 and deviation 1; predictions keep their unit",
    torch=_torch,
    keras=_keras,
    edit=_edit,
    touches="targets",
    edited_file=(LOSS_PLACE, SCRIPT),
)
