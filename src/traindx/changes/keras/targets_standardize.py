"""Targets with mean 0 and deviation 1."""

import keras
from torch import Tensor

from traindx.changes.live.batches import TargetScale, scale_of
from traindx.changes.live.keras_layers import graph_of
from traindx.changes.live.keras_operation import KerasOperation
from traindx.changes.live.keras_program import KerasProgram, Loss, kind_of
from traindx.changes.live.program import learned_from
from traindx.changes.types import ChangeSpec

_LOSSES = ("mean_squared_error", "mean_absolute_error", "huber", "log_cosh")


def begin(program: KerasProgram, change: ChangeSpec) -> None:
    """Let the model predict standardised targets; what it gives is brought back to their own unit.

    The loss is shown in the program's unit and learned from in standardised units, so that both arms show
    the same thing.
    """
    scale: TargetScale | None = None
    outputs = 1

    def standardized(original: Loss) -> Loss:
        def compute(loss: keras.losses.Loss, target: Tensor, given: Tensor, weights: Tensor | None) -> Tensor:
            nonlocal scale
            if kind_of(loss) not in _LOSSES or outputs > 1:
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


OPERATION = KerasOperation(name="targets.standardize", begin=begin)
