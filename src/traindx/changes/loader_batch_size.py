"""Another batch size."""

from __future__ import annotations

from functools import partial

from traindx.changes import cst, keras, torch
from traindx.changes.live.batches import Settings, change_loaders
from traindx.changes.live.doses import Doses
from traindx.changes.live.keras_program import FitSettings, KerasProgram, rows_of
from traindx.changes.live.program import Program
from traindx.changes.source.literal import added, scaled
from traindx.changes.source.loop import loader_call
from traindx.changes.source.optimizer import keras_fit, trainer_call
from traindx.changes.source.option import Option
from traindx.changes.source.source import Source
from traindx.changes.source.syntax import argument, number_text
from traindx.changes.types import Change, ChangeSpec, Edited, RefusedError
from traindx.curves.facts import is_recording
from traindx.facts import BATCH_SIZE, FRAMEWORK, LOADER_PLACE, SCRIPT, TRAINING_SAMPLES
from traindx.run import Run

_USUAL = 32
"""What `fit` takes where nothing is said."""


def _torch(program: Program, change: ChangeSpec) -> None:
    """Multiply or set the batch size of every loader; never above the rows there are."""

    def resized(dataset: object, settings: Settings) -> Settings:
        if settings.get("batch_sampler") is not None:
            program.refuse(change, "the data loader gets ready-made batches")
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


def _keras(program: KerasProgram, change: ChangeSpec) -> None:
    """Multiply or set the batch size of `fit`; never above a fourth of the rows."""

    def resized(_: keras.Model, settings: FitSettings) -> FitSettings:
        rows = rows_of(settings)
        if rows is None:
            # A loader of torch is made otherwise when it is made.
            if not isinstance(settings["x"], torch.utils.data.DataLoader):
                program.refuse(change, "fit gets ready-made batches")
            return settings
        asked = settings["batch_size"]
        before = asked if isinstance(asked, int) else _USUAL
        after = max(1, round(change.scaled(before)))
        after = min(after, max(1, rows // 4)) if after > before else after
        program.applied(change, f"the batch size {before} becomes {after}")
        return {**settings, "batch_size": after}

    program.on_fit(resized)


def _edit(source: Source, change: ChangeSpec, run: Run) -> Edited:
    """Write the batch size of the training data otherwise."""
    call, name, position, default = _written(source, run)
    given = argument(call, (name,), position)
    if given is not None:
        return scaled(source, run, "the batch size", given, partial(_size, run, change), whole=True)
    if argument(call, ("batch_sampler",)) is not None:
        raise RefusedError(f"batches come from a batch_sampler at {source.place(call)}")
    return added(source, call, name, number_text(_size(run, change, default), whole=True))


def _size(run: Run, change: ChangeSpec, before: float) -> float:
    """As in a trial: at least one row, and where it grows no more than a quarter of those there are."""
    after, rows = max(1.0, change.scaled(before)), run.facts.get(TRAINING_SAMPLES)
    if not isinstance(rows, int | float) or after <= before:
        return after
    return min(after, max(1.0, rows // 4))


def _written(source: Source, run: Run) -> tuple[cst.Call, str, int | None, float]:
    """The call that takes the batch size, its keyword, its place, and what it is where nothing is said."""
    arguments = trainer_call(source)
    if arguments is not None:
        return arguments, "per_device_train_batch_size", None, 8.0
    fit = keras_fit(source, run)
    if fit is not None and LOADER_PLACE not in run.facts:
        return fit, "batch_size", 2, 32.0
    return loader_call(source, run), "batch_size", 1, 1.0


def _is_idle(_: ChangeSpec, run: Run) -> bool:
    """Whether no data loader gave the batches of a program of torch."""
    is_torch = run.facts.get(FRAMEWORK, "torch") == "torch"
    return is_torch and is_recording(run) and not {LOADER_PLACE, TRAINING_SAMPLES} & set(run.facts)


CHANGE = Change(
    name="loader.batch_size",
    label="batch size {}",
    forms=("loader.batch_size x 4", "loader.batch_size 64"),
    says="multiply or set the batch size of data loaders",
    torch=_torch,
    keras=_keras,
    edit=_edit,
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
