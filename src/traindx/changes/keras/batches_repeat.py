"""The same batch at every step of `fit`."""

import keras

from traindx.changes.live.keras_operation import KerasOperation
from traindx.changes.live.keras_program import KerasProgram, Settings
from traindx.changes.types import ChangeSpec


def begin(program: KerasProgram, change: ChangeSpec) -> None:
    """Train on the first batch that `fit` comes to, again and again."""

    def held(model: keras.Model, settings: Settings) -> Settings:
        original = model.train_step
        first: list[object] = []

        def train_step(data: object) -> object:
            if not first:
                first.append(data)
            program.applied(change, "every step of fit takes the batch of the first one")
            return original(first[0])

        model.train_step = train_step
        return settings

    program.on_fit(held)


OPERATION = KerasOperation(name="batches.repeat", begin=begin)
