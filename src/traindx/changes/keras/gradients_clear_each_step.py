"""Gradients cleared after each step."""

from keras.src.optimizers.base_optimizer import BaseOptimizer

from traindx.changes.live.keras_operation import KerasOperation
from traindx.changes.live.keras_program import KerasProgram, Settings
from traindx.changes.types import ChangeSpec


def begin(program: KerasProgram, change: ChangeSpec) -> None:
    """Drop the gradients as soon as they were used, in a loop of the program's own."""
    fits = False

    def refuse(_: object, settings: Settings) -> Settings:
        nonlocal fits
        fits = True
        program.refuse(change, "fit clears gradients by itself")
        return settings

    def clear(optimizer: BaseOptimizer) -> None:
        if fits:
            return
        program.applied(change, "gradients are cleared after each step")
        for one in optimizer._trainable_variables:
            one._value.grad = None

    program.on_fit(refuse)
    program.stepping.after_step(clear)


OPERATION = KerasOperation(name="gradients.clear_each_step", begin=begin)
