"""Another batch size."""

from traindx.changes.live.batches import Settings, change_loaders
from traindx.changes.live.operation import Operation
from traindx.changes.live.program import Program
from traindx.changes.types import ChangeSpec


def begin(program: Program, change: ChangeSpec) -> None:
    """Multiply or set the batch size of every loader; never above the rows there are."""

    def resized(dataset: object, settings: Settings) -> Settings:
        if settings.get("batch_sampler") is not None:
            program.refuse(change, "the loader is given its batches ready-made")
            return settings
        before = settings.get("batch_size", 1)
        if not isinstance(before, int):
            return settings
        rows = len(dataset) if hasattr(dataset, "__len__") else None
        after = max(1, round(change.scaled(before)))
        after = min(after, max(1, rows // 4)) if rows and after > before else after
        program.applied(change, f"the batch size {before} becomes {after}")
        return {**settings, "batch_size": after}

    change_loaders(program, resized)


OPERATION = Operation(
    name="loader.batch_size",
    forms=("loader.batch_size x 4", "loader.batch_size 64"),
    says="multiply or set the batch size of loaders",
    begin=begin,
)
