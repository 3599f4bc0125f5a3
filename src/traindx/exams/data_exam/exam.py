"""The exam of data, before anything is trained on it."""

import os
from functools import cache

import numpy as np

from traindx.catalogue import units
from traindx.errors import TraindxError
from traindx.exams.data_exam import checks as data_checks
from traindx.exams.data_exam.assemble import assembled
from traindx.exams.data_exam.data import MOST_ROWS, Data, Kind, Task
from traindx.exams.data_exam.look import Look, portrayed
from traindx.exams.data_exam.source import opened
from traindx.exams.data_exam.types import VALIDATION, Examination
from traindx.exams.questions import Check, Checked
from traindx.format import count, printable

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
    look = Look(made.data)
    # Whatever stands in the data may be squared and divided: what comes of it is judged, not warned about.
    with np.errstate(all="ignore"):
        checked = tuple(Checked(check, check.ask(look)) for check in checks())
        portrait = portrayed(look)
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
    return tuple(sorted(units(data_checks, Check), key=lambda one: (one.order, one.slug)))


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
