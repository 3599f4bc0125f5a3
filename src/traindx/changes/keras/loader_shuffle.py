"""Training data in random order."""

import keras
from torch.utils.data import DataLoader

from traindx.changes.live.keras_operation import KerasOperation
from traindx.changes.live.keras_program import KerasProgram, Settings, rows_of
from traindx.changes.types import ChangeSpec


def begin(program: KerasProgram, change: ChangeSpec) -> None:
    """Let `fit` shuffle arrays that it is told to go through in order."""

    def shuffled(_: keras.Model, settings: Settings) -> Settings:
        if rows_of(settings) is None:
            # A loader of torch is made otherwise when it is made.
            if not isinstance(settings["x"], DataLoader):
                program.refuse(change, "fit is given its batches in an order of their own")
            return settings
        if settings["shuffle"]:
            program.refuse(change, "fit shuffles its data already")
            return settings
        program.applied(change, "fit shuffles the data that it went through in order")
        return {**settings, "shuffle": True}

    program.on_fit(shuffled)


OPERATION = KerasOperation(name="loader.shuffle", begin=begin)
