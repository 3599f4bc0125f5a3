"""The exam of data, before anything is trained on it."""

import os
from dataclasses import dataclass, replace
from functools import cache
from typing import Annotated

import numpy as np

from traindx.catalogue import units
from traindx.errors import TraindxError
from traindx.exams.data_exam import checks as data_checks
from traindx.exams.data_exam.data import MOST_ROWS, UNKNOWN, Array, Data, Kind, Labels, Part, Raw, Task
from traindx.exams.data_exam.profile import DataProfile, portrayed
from traindx.exams.data_exam.source import opened
from traindx.exams.data_exam.types import TRAINING, VALIDATION, Examination
from traindx.exams.questions import Check, Checked
from traindx.format import count, printable
from traindx.run import Floats

_TASKS = {"classes": Task.CLASSES, "numbers": Task.NUMBERS}


def data(
    source: object,
    *,
    validation: object = None,
    target: str | None = None,
    task: str | None = None,
    parameters: int | None = None,
    rows: int = MOST_ROWS,
) -> Examination:
    """Check data before training on it.

    `source` is a path (CSV, TSV, Parquet, .npy, .npz, .pt, a folder of images), "module:factory", a Dataset,
    a DataLoader, a DataFrame, an array, or a pair (inputs, targets); a pair of anything else is (training,
    validation).
    """
    if rows < 1:
        raise TraindxError(f"rows must be 1 or more, got {rows}")
    if parameters is not None and parameters < 1:
        raise TraindxError(f"parameters must be 1 or more, got {parameters}")
    if task is not None and task not in _TASKS:
        raise TraindxError(f'task must be "classes" or "numbers", got "{task}"')
    training, held = opened(source, target, rows)
    if validation is not None:
        same = target if target is not None else training.target_name or None
        held, _ = opened(validation, same, rows, VALIDATION)
    made = assembled(training, held, None if task is None else _TASKS[task], parameters)
    profile = DataProfile(made.data)
    # Whatever stands in the data may be squared and divided: what comes of it is judged, not warned about.
    with np.errstate(all="ignore"):
        checked = tuple(Checked(check, check.ask(profile)) for check in checks())
        portrait = portrayed(profile)
    held_notes = [f"validation: {note}" for note in (held.notes if held else ())]
    return Examination(
        subject=_name(source),
        about=_about(made.data),
        checks=checked,
        notes=(*training.notes, *held_notes, *made.notes),
        portrait=portrait,
    )


@cache
def checks() -> tuple[Check, ...]:
    """Every check there is, in the order of a report."""
    return tuple(sorted(units(data_checks, Check), key=lambda unit: (unit.order, unit.slug)))


def _name(source: object) -> str:
    if isinstance(source, (str, os.PathLike)):
        return printable(str(os.fspath(source)), 200)
    whole = type(source).__name__ in ("tuple", "list", "ndarray", "Tensor")
    return "data in memory" if whole else f"a {printable(type(source).__name__, 60)} in memory"


def _about(data: Data) -> str:
    """What the data is, in a line."""
    part = data.training
    what = {Kind.TABLE: "row", Kind.IMAGES: "image", Kind.SIGNALS: "signal", Kind.TOKENS: "text"}[data.kind]
    said = [count(part.total, f"training {what}")]
    if data.validation is not None:
        said.append(count(data.validation.total, f"validation {what}"))
    shape = part.inputs.shape[1:]
    said.append(
        count(len(data.features), "feature")
        if data.kind is Kind.TABLE
        else f"{' x '.join(map(str, shape))} values each"
    )
    if data.task is Task.CLASSES:
        said.append(count(len(data.classes), "class", "classes"))
    elif data.task is Task.NUMBERS:
        said.append("numeric targets")
    return ", ".join(said)


_FEW: Annotated[int, "different whole numbers that are classes however few rows there are"] = 20
_MANY: Annotated[int, "different whole numbers that are classes where each has ten rows"] = 1000

_FEWEST_COUNTS = 6


@dataclass(frozen=True)
class Assembled:
    """The data, and what was guessed on the way."""

    data: Data
    notes: tuple[str, ...]


def assembled(training: Raw, validation: Raw | None, task: Task | None, parameters: int | None) -> Assembled:
    """Both parts in one form."""
    if validation is not None:
        validation = _fitting(training, validation)
    raws = [training] if validation is None else [training, validation]
    kind = _kind(training)
    matrices = _inputs(raws)
    asked, why = _task(training, kind) if task is None else (task, "")
    targets = [None if asked is Task.NONE else raw.targets for raw in raws]
    classes, labels = (
        _classes([column for column in targets if column is not None]) if asked is Task.CLASSES else ((), [])
    )
    coded = iter(labels)
    parts = [
        Part(
            name=name,
            inputs=matrix,
            rows=raw.rows,
            total=raw.total,
            labels=next(coded, None) if column is not None else None,
            given=column if asked is Task.CLASSES or column is None else column.astype(np.float64),
            items=raw.items,
            broken=raw.broken,
        )
        for name, raw, matrix, column in zip((TRAINING, VALIDATION), raws, matrices, targets, strict=False)
    ]
    width = int(np.prod(matrices[0].shape[1:]))
    names = (*training.names, *training.texts)
    data = Data(
        training=parts[0],
        validation=parts[1] if len(parts) > 1 else None,
        kind=kind,
        task=asked,
        features=names or tuple(f"feature {number}" for number in range(width)),
        words=np.array([False] * (width - len(training.texts)) + [True] * len(training.texts)),
        source=training,
        classes=classes,
        parameters=parameters,
    )
    return Assembled(data, (why,) if why else ())


def _fitting(training: Raw, validation: Raw) -> Raw:
    """The validation part with the columns of the training part, or the reason why it does not fit."""
    if training.names or training.texts:
        known = {*validation.names, *validation.texts, *validation.numbering}
        lacking = [name for name in (*training.names, *training.texts) if name not in known]
        if lacking:
            names = ", ".join(printable(name, 40) for name in lacking[:6])
            raise TraindxError(f"validation data has no column {names}; use tables with the same columns")
        columns = [_column(validation, name)[:, None] for name in training.names]
        texts = {name: _words(validation, name) for name in training.texts}
        inputs = np.concatenate([np.zeros((len(validation.rows), 0)), *columns], axis=1)
        return replace(validation, inputs=inputs, names=training.names, texts=texts)
    if training.inputs.shape[1:] != validation.inputs.shape[1:]:
        here, there = training.inputs.shape[1:], validation.inputs.shape[1:]
        raise TraindxError(f"training rows have shape {here}, validation rows {there}; use rows of one shape")
    return validation


def _column(raw: Raw, name: str) -> Floats:
    """A column as numbers; words that stand where training has numbers are not numbers."""
    if name in raw.names or name in raw.numbering:
        values = raw.numbering[name] if name in raw.numbering else raw.inputs[:, raw.names.index(name)]
        column: Floats = values.astype(np.float64)
        return column
    return np.full(len(raw.rows), np.nan)


def _words(raw: Raw, name: str) -> Array:
    return raw.texts[name] if name in raw.texts else _column(raw, name).astype(str)


def _inputs(raws: list[Raw]) -> list[Array]:
    """The inputs of each part with its words as codes behind the numbers, the same codes in all parts."""
    if not raws[0].texts:
        return [raw.inputs for raw in raws]
    coded: list[list[Array]] = [[] for _ in raws]
    for name in raws[0].texts:
        known, codes = np.unique(np.concatenate([raw.texts[name] for raw in raws]), return_inverse=True)
        numbers = codes.astype(np.float64)
        if len(known) and known[0] == "":
            numbers[codes == 0] = np.nan
        ends = np.cumsum([len(raw.rows) for raw in raws])[:-1]
        for columns, piece in zip(coded, np.split(numbers, ends), strict=True):
            columns.append(piece[:, None])
    return [np.concatenate([raw.inputs, *columns], axis=1) for raw, columns in zip(raws, coded, strict=True)]


def _kind(raw: Raw) -> Kind:
    """What a row is, from its shape and type."""
    inputs = raw.inputs
    if raw.names or raw.texts:
        return Kind.TABLE
    if inputs.dtype == np.uint8:
        return Kind.IMAGES
    if inputs.ndim == 2:
        return Kind.TOKENS if _are_tokens(inputs) else Kind.TABLE
    square = inputs.ndim > 3 or inputs.shape[1] == inputs.shape[2]
    return Kind.IMAGES if square else Kind.SIGNALS


def _are_tokens(inputs: Array) -> bool:
    """Whether rows are texts as numbers: whole ones of which all columns draw from one long list."""
    if inputs.dtype.kind not in "iu" or inputs.shape[1] < 4 or int(inputs.min()) < 0:
        return False
    largest = inputs.max(axis=0)
    return len(np.unique(inputs[:2000])) > 16 and float(np.median(largest)) > 0.5 * float(largest.max())


def _task(raw: Raw, kind: Kind) -> tuple[Task, str]:
    """What there is to predict, and how that was told."""
    targets = raw.targets
    if targets is None:
        return Task.NONE, ""
    if targets.dtype.kind in "USb":
        return Task.CLASSES, ""
    if targets.ndim > 1:
        return _wide_task(targets, kind)
    values = targets[np.isfinite(targets)] if targets.dtype.kind == "f" else targets
    different = np.unique(values.astype(np.float64))
    if not len(different):
        return Task.NUMBERS, "targets treated as numbers: none is finite; set --task classes to change it"
    if not bool(np.all(different == np.round(different))):
        return Task.NUMBERS, ""
    if _are_counts(values, different):
        return (
            Task.NUMBERS,
            "targets treated as numbers: they look like counts; set --task classes to change it",
        )
    if len(different) <= _FEW or len(different) <= min(_MANY, len(values) / 10):
        classes = count(len(different), "class", "classes")
        sentence = f"targets treated as {classes}: they are whole numbers; set --task numbers to change it"
        return Task.CLASSES, "" if targets.dtype.kind in "iu" else sentence
    many = (
        f"targets treated as numbers: {len(different):,} distinct integers; set --task classes to change it"
    )
    return Task.NUMBERS, many


def _are_counts(values: Array, different: Floats) -> bool:
    """Whether whole numbers rise to a peak and fall off to a rare end, as the numbers of classes do not."""
    if len(different) < _FEWEST_COUNTS or float(different[-1] - different[0]) > 2 * len(different):
        return False
    counts = np.unique(values, return_counts=True)[1].astype(np.float64)
    peak = int(counts.argmax())
    steps, noise = np.diff(counts), 2 * np.sqrt(np.maximum(counts[1:], counts[:-1]))
    falls = bool(np.all(steps[:peak] > -noise[:peak]) and np.all(steps[peak:] < noise[peak:]))
    return falls and counts[-1] < 0.1 * counts[peak] and len(values) >= 10 * len(different)


def _wide_task(targets: Array, kind: Kind) -> tuple[Task, str]:
    if kind is Kind.TOKENS and targets.dtype.kind in "iu":
        return Task.NONE, "targets not checked: one token per input token"
    if targets.ndim > 2 or targets.dtype.kind in "iu":
        return Task.NONE, "targets not checked: several per row"
    if bool(np.isin(targets, (0, 1)).all()):
        return Task.NONE, "targets not checked: several binary labels per row"
    return Task.NUMBERS, ""


def _classes(label_arrays: list[Array]) -> tuple[tuple[str, ...], list[Labels]]:
    """The names of all classes, and the class number of every row of every part."""
    joined = np.concatenate(label_arrays)
    missing = joined == "" if joined.dtype.kind in "US" else ~np.isfinite(joined.astype(np.float64))
    known, codes = np.unique(joined[~missing], return_inverse=True)
    labels = np.full(len(joined), UNKNOWN, dtype=np.int64)
    labels[~missing] = codes
    names = tuple(f"{label:g}" if joined.dtype.kind == "f" else str(label) for label in known.tolist())
    return names, np.split(labels, np.cumsum([len(array) for array in label_arrays])[:-1])
