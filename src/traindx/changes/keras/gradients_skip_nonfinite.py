"""Steps left out whose gradients are no numbers."""

from collections.abc import Sequence

import torch
from keras.src.optimizers.base_optimizer import BaseOptimizer
from torch import Tensor

from traindx.changes.live.keras_operation import KerasOperation
from traindx.changes.live.keras_program import KerasProgram
from traindx.changes.types import ChangeSpec


def begin(program: KerasProgram, change: ChangeSpec) -> None:
    """Leave weights and optimizer alone in a step whose gradients hold a NaN or an infinity."""

    def skip(_: BaseOptimizer, gradients: Sequence[Tensor]) -> None:
        if all(bool(torch.isfinite(one).all()) for one in gradients):
            return
        program.applied(
            change,
            f"batches with gradients that are no numbers are skipped, from step {program.taken + 1} on",
        )
        program.stepping.skip()

    program.stepping.before_step(skip)


OPERATION = KerasOperation(name="gradients.skip_nonfinite", begin=begin)
