"""Training data in random order."""

from __future__ import annotations

from traindx.changes import keras, torch
from traindx.changes.live.batches import Settings, change_loaders
from traindx.changes.live.keras_program import FitSettings, KerasProgram, rows_of
from traindx.changes.live.program import Program
from traindx.changes.source.literal import added, exchanged
from traindx.changes.source.loop import loader_call
from traindx.changes.source.source import Source
from traindx.changes.source.syntax import argument
from traindx.changes.types import Change, ChangeSpec, Edited, RefusedError
from traindx.curves.facts import is_recording
from traindx.facts import FRAMEWORK, LOADER_PLACE, SCRIPT, TRAINING_SAMPLES
from traindx.run import Run


def _torch(program: Program, change: ChangeSpec) -> None:
    """Shuffle every loader that goes through its data in order."""

    def shuffled(dataset: object, settings: Settings) -> Settings:
        sampler = settings.get("sampler")
        if settings.get("batch_sampler") is not None or isinstance(dataset, torch.utils.data.IterableDataset):
            program.refuse(change, "the data loader has its own sampler")
            return settings
        if settings.get("shuffle") or (
            sampler is not None and not isinstance(sampler, torch.utils.data.SequentialSampler)
        ):
            return settings
        program.applied(change, "the data loader now shuffles its data")
        return {**settings, "sampler": None, "shuffle": True}

    change_loaders(program, shuffled)


def _keras(program: KerasProgram, change: ChangeSpec) -> None:
    """Let `fit` shuffle arrays that it is told to go through in order."""

    def shuffled(_: keras.Model, settings: FitSettings) -> FitSettings:
        if rows_of(settings) is None:
            # A loader of torch is made otherwise when it is made.
            if not isinstance(settings["x"], torch.utils.data.DataLoader):
                program.refuse(change, "fit gets its batches in a fixed order")
            return settings
        if settings["shuffle"]:
            program.refuse(change, "fit already shuffles its data")
            return settings
        program.applied(change, "fit now shuffles its data")
        return {**settings, "shuffle": True}

    program.on_fit(shuffled)


def _edit(source: Source, _: ChangeSpec, run: Run) -> Edited:
    """Let the loader of the training data shuffle."""
    call = loader_call(source, run)
    for name in ("sampler", "batch_sampler"):
        if argument(call, (name,)) is not None:
            raise RefusedError(f"the order is set by {name} at {source.place(call)}")
    given = argument(call, ("shuffle",), 2)
    if given is None:
        return added(source, call, "shuffle", "True")
    code = source.code(given.value)
    if code == "True":
        raise RefusedError(f"the data is already shuffled at {source.place(given)}")
    if code != "False":
        raise RefusedError(f"shuffle is computed ({code}) at {source.place(given)}")
    return exchanged(source, given, "True", "shuffle")


def _is_idle(_: ChangeSpec, run: Run) -> bool:
    """Whether no data loader gave the batches of a program of torch."""
    is_torch = run.facts.get(FRAMEWORK, "torch") == "torch"
    return is_torch and is_recording(run) and not {LOADER_PLACE, TRAINING_SAMPLES} & set(run.facts)


CHANGE = Change(
    name="loader.shuffle",
    label="shuffle the data",
    says="shuffle data loaders that read their data in order",
    torch=_torch,
    keras=_keras,
    edit=_edit,
    is_idle=_is_idle,
    edited_file=(LOADER_PLACE, SCRIPT),
)
