"""Data loaded beside the training."""

import os

import keras
from torch.utils.data import DataLoader

from traindx.changes.live.keras_operation import KerasOperation
from traindx.changes.live.keras_program import KerasProgram, Settings
from traindx.changes.types import ChangeSpec


def begin(program: KerasProgram, change: ChangeSpec) -> None:
    """Give a `PyDataset` threads that read ahead."""
    workers = min(max(2, round(change.number)), max(2, os.cpu_count() or 2))

    def staffed(_: keras.Model, settings: Settings) -> Settings:
        data = settings["x"]
        if not isinstance(data, keras.utils.PyDataset):
            # A loader of torch is made otherwise when it is made.
            if not isinstance(data, DataLoader):
                program.refuse(change, "fit is given no PyDataset, which alone can have workers")
        elif data.workers > 1:
            program.refuse(change, f"the data have {data.workers} workers already")
        else:
            program.applied(change, f"the data get {workers} workers")
            data.workers = workers
        return settings

    program.on_fit(staffed)


OPERATION = KerasOperation(name="loader.num_workers", begin=begin)
