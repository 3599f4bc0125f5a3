"""Values that are missing, NaN or infinite, and images that show nothing."""

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from traindx.causes import input_outliers, non_finite_inputs
from traindx.exams.check import Check, Outcome, unseen
from traindx.exams.data_exam.dataset.data import UNKNOWN, Kind, Part, Task
from traindx.exams.data_exam.dataset.look import Look, named, rows_at
from traindx.finding import Finding, Severity, problem
from traindx.format import count

_IMPUTE = """\
missing = np.isnan(train_x)
fill = np.nanmedian(train_x, axis=0)  # of the training rows
train_x = np.where(missing, fill, train_x)
# the network may learn from what is missing
train_x = np.concatenate([train_x, missing], axis=1)"""

_DROP = """\
good = np.isfinite(train_x).reshape(len(train_x), -1).all(axis=1)
print(f"{(~good).sum()} rows dropped")
train_x, train_y = train_x[good], train_y[good]"""


def _finite_values(look: Look) -> Outcome:
    """One NaN in a batch makes the loss NaN and, after one step, every weight."""
    faults: list[Finding] = []
    for part in look.data.parts:
        faults += _inputs(look, part)
        faults += _targets_missing(look, part)
    values = sum(part.matrix.size for part in look.data.parts)
    return Outcome(f"all {values:,} values are finite", tuple(faults))


def _inputs(look: Look, part: Part) -> list[Finding]:
    if part.matrix.dtype.kind != "f":
        return []
    finite = np.isfinite(part.matrix)
    if finite.all():
        return []
    faults = []
    endless = np.isinf(part.matrix)
    if endless.any():
        faults.append(_not_finite(look, part, endless, "infinity", Severity.SERIOUS))
    missing = ~finite & ~endless
    if missing.any():
        word = "missing or NaN" if look.data.blanks else "NaN"
        faults.append(
            _not_finite(look, part, missing, word, Severity.WARNING if look.data.blanks else Severity.SERIOUS)
        )
    return faults


def _not_finite(look: Look, part: Part, bad: NDArray[np.bool_], word: str, severity: Severity) -> Finding:
    columns = np.flatnonzero(bad.any(axis=0))
    worst = columns[np.argsort(-bad[:, columns].sum(axis=0), kind="stable")]
    rows = np.flatnonzero(bad.any(axis=1))
    names = tuple(look.data.features[place] for place in worst)
    says = (
        f"{count(int(bad.sum()), f'{part.name} value')} ({bad.mean():.2%} of all) are {word}, in"
        f" {count(len(rows), 'row')} and {count(len(columns), 'column')}"
    )
    if len(columns) < part.matrix.shape[1]:
        says += f": {named(names)}"
    impute = word.startswith("missing")
    todo = (
        "Fill them with the training median and tell the network which were missing, or drop the rows"
        if impute
        else "Find where they come from (a division or logarithm of zero, a failed parse); repair or drop"
    )
    found = rows_at(part, rows, f"holds {word}")
    return problem(
        non_finite_inputs.CAUSE.slug,
        severity,
        says,
        todo=todo,
        code=_IMPUTE if impute else _DROP,
        columns=names[:50],
        samples=found,
    )


def _targets_missing(look: Look, part: Part) -> list[Finding]:
    if part.given is None:
        return []
    if look.data.task is Task.CLASSES:
        bad = part.labels == UNKNOWN if part.labels is not None else np.zeros(0, dtype=bool)
    else:
        bad = ~np.isfinite(part.given.reshape(len(part.given), -1).astype(np.float64)).all(axis=1)
    rows = np.flatnonzero(bad)
    if not len(rows):
        return []
    says = f"{count(len(rows), f'{part.name} target')} of {part.looked:,} are missing or not finite"
    todo = "Drop the rows without a target: no loss can be computed for them"
    code = "has = np.isfinite(train_y)\ntrain_x, train_y = train_x[has], train_y[has]"
    name = (look.data.target_name,) if look.data.target_name else ()
    return [
        problem(
            non_finite_inputs.CAUSE.slug,
            Severity.SERIOUS,
            says,
            todo=todo,
            code=code,
            columns=name,
            samples=rows_at(part, rows, "has no target"),
        )
    ]


FINITE_VALUES = Check(
    "finite values",
    "Are values missing, NaN or infinite?",
    _finite_values,
    1,
    clears=(non_finite_inputs.CAUSE.slug,),
)

_SHARE: Annotated[float, "of the images; a slip or two are in every collection"] = 0.002


def _blank_images(look: Look) -> Outcome:
    """A constant image is a file that was not written, or cut outside of the picture; its label is a lie."""
    if look.data.kind is not Kind.IMAGES:
        return unseen("the rows are no images")
    faults = []
    for part in look.data.parts:
        blank = np.flatnonzero(part.matrix.max(axis=1) == part.matrix.min(axis=1))
        if not len(blank):
            continue
        says = f"{count(len(blank), f'{part.name} image')} of {part.looked:,} have one colour all over"
        many = len(blank) > 1 and len(blank) >= _SHARE * part.looked
        todo = "Look at these files, and drop the ones that were not written or cut rightly"
        severity = Severity.WARNING if many else Severity.INFO
        faults.append(
            problem(
                input_outliers.CAUSE.slug,
                severity,
                says,
                todo=todo,
                samples=rows_at(part, blank, "one colour all over"),
            )
        )
    return Outcome("every image has more than one colour", tuple(faults))


BLANK_IMAGES = Check(
    "blank images", "Do all images show something?", _blank_images, 5, clears=(input_outliers.CAUSE.slug,)
)
