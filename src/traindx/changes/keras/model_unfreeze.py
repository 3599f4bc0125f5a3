"""Frozen weights, let go."""

import keras

from traindx.changes.live.keras_operation import KerasOperation
from traindx.changes.live.keras_program import KerasProgram, Settings
from traindx.changes.types import ChangeSpec


def begin(program: KerasProgram, change: ChangeSpec) -> None:
    """Let every weight of a model learn before `fit` gives them to the optimizer."""

    def thaw(model: keras.Model, settings: Settings) -> Settings:
        frozen = [
            weight
            for layer in model._flatten_layers()
            for weight in layer._trainable_variables
            if not weight.trainable
        ]
        if not frozen:
            program.refuse(change, "nothing in the model is frozen when fit begins")
        elif model.optimizer is not None and model.optimizer.built:
            program.refuse(change, "the optimizer was given other weights before")
        else:
            program.applied(change, f"{len(frozen)} frozen parameters learn")
            model.trainable = True
        return settings

    program.on_fit(thaw)


OPERATION = KerasOperation(name="model.unfreeze", begin=begin)
