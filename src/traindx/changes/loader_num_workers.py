"""Data loaded beside the training."""

from __future__ import annotations

import os

from traindx.changes import cst, keras, torch
from traindx.changes.live.batches import Settings, change_loaders
from traindx.changes.live.keras_program import FitSettings, KerasProgram
from traindx.changes.live.program import Program
from traindx.changes.source.literal import scaled
from traindx.changes.source.loop import loader_call
from traindx.changes.source.optimizer import trainer_call
from traindx.changes.source.source import Source
from traindx.changes.source.syntax import argument, last_name, with_argument
from traindx.changes.types import Change, ChangeSpec, Edited, Measure, RefusedError
from traindx.curves.facts import is_recording
from traindx.facts import FRAMEWORK, LOADER_PLACE, SCRIPT, TRAINING_SAMPLES
from traindx.run import Run


def _torch(program: Program, change: ChangeSpec) -> None:
    """Give loaders worker processes that stay, and pinned memory where there is a GPU."""
    workers = min(max(1, round(change.number)), max(2, os.cpu_count() or 2))

    def staffed(dataset: object, settings: Settings) -> Settings:
        # Keras makes a loader of arrays that lie in memory for each epoch.
        if settings.get("num_workers") or type(dataset).__module__.startswith("keras."):
            return settings
        if isinstance(dataset, torch.utils.data.IterableDataset):
            program.refuse(change, "each worker would read the whole IterableDataset")
            return settings
        program.applied(change, f"data loaders get {workers} persistent workers")
        more: dict[str, object] = {"num_workers": workers, "persistent_workers": True}
        if torch.cuda.is_available():
            more["pin_memory"] = True
        return {**settings, **more}

    change_loaders(program, staffed)


def _keras(program: KerasProgram, change: ChangeSpec) -> None:
    """Give a `PyDataset` threads that read ahead."""
    workers = min(max(2, round(change.number)), max(2, os.cpu_count() or 2))

    def staffed(_: keras.Model, settings: FitSettings) -> FitSettings:
        data = settings["x"]
        if not isinstance(data, keras.utils.PyDataset):
            # A loader of torch is made otherwise when it is made.
            if not isinstance(data, torch.utils.data.DataLoader):
                program.refuse(change, "fit does not get a PyDataset; only those support workers")
        elif data.workers > 1:
            program.refuse(change, f"the dataset already has {data.workers} workers")
        else:
            program.applied(change, f"the dataset gets {workers} workers")
            data.workers = workers
        return settings

    program.on_fit(staffed)


def _edit(source: Source, change: ChangeSpec, run: Run) -> Edited:
    """Give the loader of the training data worker processes."""
    arguments = trainer_call(source)
    name = "dataloader_num_workers" if arguments is not None else "num_workers"
    call = arguments if arguments is not None else loader_call(source, run)
    classes = [(one, base.value) for one in source.all(cst.ClassDef) for base in one.bases]
    streams = [one for one, base in classes if last_name(base) == "IterableDataset"]
    if streams:
        raise RefusedError(f"each worker would read the whole IterableDataset of {source.place(streams[0])}")
    given = argument(call, (name,))
    if given is not None:
        return scaled(source, run, "the number of workers", given, change.scaled, whole=True)
    # As many as there are processors at most, as in a trial: more take turns on them.
    workers = min(max(1, round(change.number)), max(2, os.cpu_count() or 2))
    new, says = with_argument(call, name, str(workers)), f"{name}={workers}"
    if arguments is None and argument(call, ("persistent_workers",)) is None:
        new, says = with_argument(new, "persistent_workers", "True"), f"{says}, persistent_workers=True"
    return Edited({call: new}, f"{says} at {source.place(call)}")


def _is_idle(_: ChangeSpec, run: Run) -> bool:
    """Whether no data loader gave the batches of a program of torch."""
    is_torch = run.facts.get(FRAMEWORK, "torch") == "torch"
    return is_torch and is_recording(run) and not {LOADER_PLACE, TRAINING_SAMPLES} & set(run.facts)


CHANGE = Change(
    name="loader.num_workers",
    label="{} loader workers",
    forms=("loader.num_workers 8",),
    says="set num_workers of data loaders, at most one per CPU core",
    torch=_torch,
    keras=_keras,
    edit=_edit,
    is_idle=_is_idle,
    edited_file=(LOADER_PLACE, SCRIPT),
    compared_by=(Measure.SPEED,),
)
