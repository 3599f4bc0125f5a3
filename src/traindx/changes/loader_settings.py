"""Another batch size, another order, workers that load beside the training."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import partial

from traindx.changes import cst, keras, torch
from traindx.changes.live.keras_program import FitSettings, KerasProgram, rows_of
from traindx.changes.live.program import Program, parameter_names
from traindx.changes.source.hyperparameter import Doses, Option
from traindx.changes.source.literal import added, exchanged, scaled
from traindx.changes.source.loop import loader_call
from traindx.changes.source.optimizer import keras_fit, trainer_call
from traindx.changes.source.source import Source
from traindx.changes.source.syntax import argument, last_name, with_argument
from traindx.changes.types import Change, ChangeSpec, Edited, Measure, RefusedError
from traindx.curves.facts import is_recording
from traindx.facts import BATCH_SIZE, FRAMEWORK, LOADER_PLACE, SCRIPT, TRAINING_SAMPLES
from traindx.recorder.hooks.monkeypatch import Function
from traindx.run import Run

_USUAL = 32
"""What `fit` takes where nothing is said."""
_LARGEST_SHARE = 4
"""A batch that grows is at most one of so many parts of the rows."""

Settings = Mapping[str, object]


def _change_loaders(program: Program, how: Callable[[object, Settings], Settings]) -> None:
    """Make every loader with the settings that are made of those the program asked for."""

    def init(original: Function, loader: object, dataset: object, *args: object, **kwargs: object) -> None:
        names = parameter_names(original)[2:]
        asked = {**dict(zip(names, args, strict=False)), **kwargs}
        original(loader, dataset, **how(dataset, asked))

    program.patches.wrap(torch.utils.data.DataLoader, "__init__", init)


def _refuse_batches(program: KerasProgram, change: ChangeSpec, settings: FitSettings, why: str) -> None:
    """Refuse what gives batches to `fit`; a loader of torch is changed when it is made."""
    if not isinstance(settings["x"], torch.utils.data.DataLoader):
        program.refuse(change, why)


def _is_idle(_: ChangeSpec, run: Run) -> bool:
    """Whether no data loader gave the batches of a program of torch."""
    is_torch = run.facts.get(FRAMEWORK, "torch") == "torch"
    return is_torch and is_recording(run) and not {LOADER_PLACE, TRAINING_SAMPLES} & set(run.facts)


def _size(change: ChangeSpec, before: float, rows: object) -> int:
    """At least one row, and where it grows no more than a quarter of those there are."""
    after = max(1, round(change.scaled(before)))
    if not isinstance(rows, int | float) or not rows or after <= before:
        return after
    return min(after, max(1, int(rows // _LARGEST_SHARE)))


def _torch_batch_size(program: Program, change: ChangeSpec) -> None:
    """Multiply or set the batch size of every loader; never above the rows there are."""

    def resized(dataset: object, settings: Settings) -> Settings:
        if settings.get("batch_sampler") is not None:
            program.refuse(change, "the data loader gets ready-made batches")
            return settings
        before = settings.get("batch_size", 1)
        if not isinstance(before, int):
            return settings
        rows = len(dataset) if hasattr(dataset, "__len__") else None
        after = _size(change, before, rows)
        program.applied(change, f"the batch size {before} becomes {after}")
        return {**settings, "batch_size": after}

    _change_loaders(program, resized)


def _keras_batch_size(program: KerasProgram, change: ChangeSpec) -> None:
    """Multiply or set the batch size of `fit`; never above a fourth of the rows."""

    def resized(_: keras.Model, settings: FitSettings) -> FitSettings:
        rows = rows_of(settings)
        if rows is None:
            _refuse_batches(program, change, settings, "fit gets ready-made batches")
            return settings
        asked = settings["batch_size"]
        before = asked if isinstance(asked, int) else _USUAL
        after = _size(change, before, rows)
        program.applied(change, f"the batch size {before} becomes {after}")
        return {**settings, "batch_size": after}

    program.on_fit(resized)


def _edit_batch_size(source: Source, change: ChangeSpec, run: Run) -> Edited:
    """Write the batch size of the training data otherwise."""
    call, name, position, default = _written(source, run)
    rows = run.facts.get(TRAINING_SAMPLES)
    arg = argument(call, (name,), position)
    if arg is not None:
        resized = partial(_size, change, rows=rows)
        return scaled(source, run, "the batch size", arg, resized, whole=True)
    if argument(call, ("batch_sampler",)) is not None:
        raise RefusedError(f"batches come from a batch_sampler at {source.place(call)}")
    return added(source, call, name, str(_size(change, default, rows)))


def _written(source: Source, run: Run) -> tuple[cst.Call, str, int | None, float]:
    """The call that takes the batch size, its keyword, its place, and what it is where nothing is said."""
    arguments = trainer_call(source)
    if arguments is not None:
        return arguments, "per_device_train_batch_size", None, 8.0
    fit = keras_fit(source, run)
    if fit is not None and LOADER_PLACE not in run.facts:
        return fit, "batch_size", 2, 32.0
    return loader_call(source, run), "batch_size", 1, 1.0


RESIZE = Change(
    name="loader.batch_size",
    label="batch size {}",
    forms=("loader.batch_size x 4", "loader.batch_size 64"),
    says="multiply or set the batch size of data loaders",
    torch=_torch_batch_size,
    keras=_keras_batch_size,
    edit=_edit_batch_size,
    is_idle=_is_idle,
    option=Option(
        ("batch_size", "bs", "batch", "train_batch_size", "per_device_train_batch_size"),
        fact=BATCH_SIZE,
        trainer="per_device_train_batch_size",
    ),
    edited_file=(LOADER_PLACE, SCRIPT),
    doses=Doses(),
    scales_batch=True,
)


def _workers(change: ChangeSpec) -> int:
    """As many as there are processors at most: more take turns on them."""
    return min(max(1, round(change.number)), max(2, os.cpu_count() or 2))


def _torch_num_workers(program: Program, change: ChangeSpec) -> None:
    """Give loaders worker processes that stay, and pinned memory where there is a GPU."""
    workers = _workers(change)

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

    _change_loaders(program, staffed)


def _keras_num_workers(program: KerasProgram, change: ChangeSpec) -> None:
    """Give a `PyDataset` threads that read ahead."""
    workers = max(2, _workers(change))

    def staffed(_: keras.Model, settings: FitSettings) -> FitSettings:
        data = settings["x"]
        if not isinstance(data, keras.utils.PyDataset):
            why = "fit does not get a PyDataset; only those support workers"
            _refuse_batches(program, change, settings, why)
        elif data.workers > 1:
            program.refuse(change, f"the dataset already has {data.workers} workers")
        else:
            program.applied(change, f"the dataset gets {workers} workers")
            data.workers = workers
        return settings

    program.on_fit(staffed)


def _edit_num_workers(source: Source, change: ChangeSpec, run: Run) -> Edited:
    """Give the loader of the training data worker processes."""
    arguments = trainer_call(source)
    name = "dataloader_num_workers" if arguments is not None else "num_workers"
    call = arguments if arguments is not None else loader_call(source, run)
    classes = [(class_, base.value) for class_ in source.all(cst.ClassDef) for base in class_.bases]
    streams = [class_ for class_, base in classes if last_name(base) == "IterableDataset"]
    if streams:
        raise RefusedError(f"each worker would read the whole IterableDataset of {source.place(streams[0])}")
    arg = argument(call, (name,))
    if arg is not None:
        return scaled(source, run, "the number of workers", arg, change.scaled, whole=True)
    workers = _workers(change)
    new, says = with_argument(call, name, str(workers)), f"{name}={workers}"
    if arguments is None and argument(call, ("persistent_workers",)) is None:
        new, says = with_argument(new, "persistent_workers", "True"), f"{says}, persistent_workers=True"
    return Edited({call: new}, f"{says} at {source.place(call)}")


NUM_WORKERS = Change(
    name="loader.num_workers",
    label="{} loader workers",
    forms=("loader.num_workers 8",),
    says="set num_workers of data loaders, at most one per CPU core",
    torch=_torch_num_workers,
    keras=_keras_num_workers,
    edit=_edit_num_workers,
    is_idle=_is_idle,
    edited_file=(LOADER_PLACE, SCRIPT),
    compared_by=(Measure.SPEED,),
)


def _torch_shuffle(program: Program, change: ChangeSpec) -> None:
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

    _change_loaders(program, shuffled)


def _keras_shuffle(program: KerasProgram, change: ChangeSpec) -> None:
    """Let `fit` shuffle arrays that it is told to go through in order."""

    def shuffled(_: keras.Model, settings: FitSettings) -> FitSettings:
        if rows_of(settings) is None:
            _refuse_batches(program, change, settings, "fit gets its batches in a fixed order")
            return settings
        if settings["shuffle"]:
            program.refuse(change, "fit already shuffles its data")
            return settings
        program.applied(change, "fit now shuffles its data")
        return {**settings, "shuffle": True}

    program.on_fit(shuffled)


def _edit_shuffle(source: Source, _: ChangeSpec, run: Run) -> Edited:
    """Let the loader of the training data shuffle."""
    call = loader_call(source, run)
    for name in ("sampler", "batch_sampler"):
        if argument(call, (name,)) is not None:
            raise RefusedError(f"the order is set by {name} at {source.place(call)}")
    arg = argument(call, ("shuffle",), 2)
    if arg is None:
        return added(source, call, "shuffle", "True")
    code = source.code(arg.value)
    if code == "True":
        raise RefusedError(f"the data is already shuffled at {source.place(arg)}")
    if code != "False":
        raise RefusedError(f"shuffle is computed ({code}) at {source.place(arg)}")
    return exchanged(source, arg, "True", "shuffle")


SHUFFLE = Change(
    name="loader.shuffle",
    label="shuffle the data",
    says="shuffle data loaders that read their data in order",
    torch=_torch_shuffle,
    keras=_keras_shuffle,
    edit=_edit_shuffle,
    is_idle=_is_idle,
    edited_file=(LOADER_PLACE, SCRIPT),
)
