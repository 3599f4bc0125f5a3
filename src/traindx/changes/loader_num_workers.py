"""Data loaded beside the training."""

import os

import torch
from torch.utils.data import IterableDataset

from traindx.changes.live.batches import Settings, change_loaders
from traindx.changes.live.operation import Operation
from traindx.changes.live.program import Program
from traindx.changes.types import ChangeSpec


def begin(program: Program, change: ChangeSpec) -> None:
    """Give loaders worker processes that stay, and pinned memory where there is a GPU."""
    workers = min(max(1, round(change.number)), max(2, os.cpu_count() or 2))

    def staffed(dataset: object, settings: Settings) -> Settings:
        # Keras makes a loader of arrays that lie in memory for each epoch.
        if settings.get("num_workers") or type(dataset).__module__.startswith("keras."):
            return settings
        if isinstance(dataset, IterableDataset):
            program.refuse(change, "each worker would go through the whole of a stream")
            return settings
        program.applied(change, f"loaders get {workers} worker processes that stay")
        more: dict[str, object] = {"num_workers": workers, "persistent_workers": True}
        if torch.cuda.is_available():
            more["pin_memory"] = True
        return {**settings, **more}

    change_loaders(program, staffed)


OPERATION = Operation(
    name="loader.num_workers",
    forms=("loader.num_workers 8",),
    says="give loaders worker processes, as many as there are processors at most",
    begin=begin,
)
