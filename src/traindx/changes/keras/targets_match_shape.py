"""Targets in the shape of the predictions."""

import keras
from keras.src.losses.losses import LossFunctionWrapper
from torch import Tensor

from traindx.changes.live.keras_operation import KerasOperation
from traindx.changes.live.keras_program import KerasProgram, Loss
from traindx.changes.types import ChangeSpec


def begin(program: KerasProgram, change: ChangeSpec) -> None:
    """Give targets the shape of predictions where both hold as many numbers and Keras does not do it."""

    def matched(original: Loss) -> Loss:
        def compute(loss: keras.losses.Loss, target: Tensor, given: Tensor, weights: Tensor | None) -> Tensor:
            if isinstance(loss, LossFunctionWrapper):
                program.refuse(change, "Keras brings targets into the shape of the predictions by itself")
            elif given.shape != target.shape and given.numel() == target.numel():
                says = f"targets of shape {tuple(target.shape)} get the shape {tuple(given.shape)}"
                program.applied(change, says)
                target = target.reshape(given.shape)
            return original(loss, target, given, weights)

        return compute

    program.replace_losses(matched)


OPERATION = KerasOperation(name="targets.match_shape", begin=begin)
