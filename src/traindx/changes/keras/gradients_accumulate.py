"""Several batches for each step."""

from keras.src.optimizers.base_optimizer import BaseOptimizer

from traindx.changes.live.keras_operation import KerasOperation
from traindx.changes.live.keras_program import KerasProgram
from traindx.changes.types import ChangeSpec


def begin(program: KerasProgram, change: ChangeSpec) -> None:
    """Let the optimizer take only each so many-th step, with the mean of the gradients in between."""
    batches = round(change.number)

    def gather(optimizer: BaseOptimizer) -> None:
        if batches < 2:
            program.refuse(change, "each step takes the gradient of one batch already")
            return
        program.applied(change, f"each step takes the mean gradient of {batches} batches")
        optimizer.gradient_accumulation_steps = batches

    program.stepping.on_optimizer(gather)


OPERATION = KerasOperation(name="gradients.accumulate", begin=begin)
