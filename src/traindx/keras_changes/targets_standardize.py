"""Targets with mean 0 and deviation 1."""

import keras
from torch import Tensor

from traindx.change import Change
from traindx.surgery.keras_layers import graph_of
from traindx.surgery.keras_losses import kind_of
from traindx.surgery.keras_operation import KerasOperation
from traindx.surgery.keras_program import KerasProgram, Loss
from traindx.surgery.program import learned_from

_LOSSES = ("mean_squared_error", "mean_absolute_error", "huber", "log_cosh")
_LEAST = 1e-12


def begin(program: KerasProgram, change: Change) -> None:
    """Let the model predict standardised targets; what it gives is brought back to their own unit.

    The loss is shown in the program's unit and learned from in standardised units, so that both arms show
    the same thing.
    """
    scale: tuple[float, float] | None = None
    outputs = 1

    def standardized(original: Loss) -> Loss:
        def compute(loss: keras.losses.Loss, target: Tensor, given: Tensor, weights: Tensor | None) -> Tensor:
            nonlocal scale
            shown = original(loss, target, given, weights)
            if kind_of(loss) not in _LOSSES or outputs > 1:
                program.refuse(change, "the model is no regression with one output")
                return shown
            if scale is None:
                mean, deviation = float(target.float().mean()), float(target.float().std())
                if not deviation > _LEAST:
                    program.refuse(change, "the targets of the first batch are all the same")
                    return shown
                scale = (mean, deviation)
                program.applied(
                    change, f"targets are standardised: mean {mean:.3g}, deviation {deviation:.3g}"
                )
            mean, deviation = scale
            aims, answers = (target - mean) / deviation, (given - mean) / deviation
            return learned_from(shown, original(loss, aims, answers, weights))

        return compute

    def count(model: keras.Layer) -> None:
        nonlocal outputs
        graph = graph_of(model)
        outputs = max(outputs, len(graph.outputs) if graph is not None else 1)

    def restored(_: keras.Layer, output: Tensor) -> Tensor:
        return output if scale is None else output * scale[1] + scale[0]

    program.on_model(count)
    program.on_output(restored)
    program.replace_losses(standardized)


OPERATION = KerasOperation(name="targets.standardize", begin=begin)
