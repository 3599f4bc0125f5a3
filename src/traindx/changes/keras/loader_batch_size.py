"""Another batch size."""

import keras
from torch.utils.data import DataLoader

from traindx.changes.live.keras_operation import KerasOperation
from traindx.changes.live.keras_program import KerasProgram, Settings, rows_of
from traindx.changes.types import ChangeSpec

_USUAL = 32
"""What `fit` takes where nothing is said."""


def begin(program: KerasProgram, change: ChangeSpec) -> None:
    """Multiply or set the batch size of `fit`; never above a fourth of the rows."""

    def resized(_: keras.Model, settings: Settings) -> Settings:
        rows = rows_of(settings)
        if rows is None:
            # A loader of torch is made otherwise when it is made.
            if not isinstance(settings["x"], DataLoader):
                program.refuse(change, "fit is given its batches ready-made")
            return settings
        asked = settings["batch_size"]
        before = asked if isinstance(asked, int) else _USUAL
        after = max(1, round(change.scaled(before)))
        after = min(after, max(1, rows // 4)) if after > before else after
        program.applied(change, f"the batch size {before} becomes {after}")
        return {**settings, "batch_size": after}

    program.on_fit(resized)


OPERATION = KerasOperation(name="loader.batch_size", begin=begin)
