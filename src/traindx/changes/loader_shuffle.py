"""Training data in random order."""

from torch.utils.data import IterableDataset, SequentialSampler

from traindx.changes.live.batches import Settings, change_loaders
from traindx.changes.live.operation import Operation
from traindx.changes.live.program import Program
from traindx.changes.types import ChangeSpec


def begin(program: Program, change: ChangeSpec) -> None:
    """Shuffle every loader that goes through its data in order."""

    def shuffled(dataset: object, settings: Settings) -> Settings:
        sampler = settings.get("sampler")
        if settings.get("batch_sampler") is not None or isinstance(dataset, IterableDataset):
            program.refuse(change, "the loader is given its batches in an order of its own")
            return settings
        if settings.get("shuffle") or (sampler is not None and not isinstance(sampler, SequentialSampler)):
            return settings
        program.applied(change, "a loader that went through its data in order is shuffled")
        return {**settings, "sampler": None, "shuffle": True}

    change_loaders(program, shuffled)


OPERATION = Operation(
    name="loader.shuffle",
    forms=("loader.shuffle",),
    says="shuffle loaders that go through their data in order",
    begin=begin,
)
