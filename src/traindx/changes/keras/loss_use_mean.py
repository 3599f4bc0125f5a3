"""The mean over samples in the place of their sum."""

from copy import copy

import keras
from torch import Tensor

from traindx.changes.live.keras_operation import KerasOperation
from traindx.changes.live.keras_program import KerasProgram, Loss
from traindx.changes.live.program import learned_from
from traindx.changes.types import ChangeSpec


def begin(program: KerasProgram, change: ChangeSpec) -> None:
    """Learn from the mean where the loss sums; it is shown as the program computes it."""

    def averaged(original: Loss) -> Loss:
        def compute(loss: keras.losses.Loss, target: Tensor, given: Tensor, weights: Tensor | None) -> Tensor:
            shown = original(loss, target, given, weights)
            if loss.reduction != "sum":
                program.refuse(change, "the loss is a mean already")
                return shown
            program.applied(change, "the mean over the samples is learned from, not their sum")
            mean = copy(loss)
            mean.reduction = "sum_over_batch_size"
            return learned_from(shown, original(mean, target, given, weights))

        return compute

    program.replace_losses(averaged)


OPERATION = KerasOperation(name="loss.use_mean", begin=begin)
