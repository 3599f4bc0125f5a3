"""The rows as a whole: readable or not, their order and number, values and images without content."""

from dataclasses import dataclass
from functools import partial
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from traindx.causes import input_outliers, non_finite_inputs, not_shuffled, overfitting
from traindx.exams.data_exam.data import UNKNOWN, Kind, Part, Task
from traindx.exams.data_exam.profile import DataProfile, named, rows_at
from traindx.exams.questions import Outcome, check, fault, unseen
from traindx.finding import Finding, Severity, problem
from traindx.format import count, listed
from traindx.run import Floats, Rows


@check("readable", "Readable rows", 0)
def readable(profile: DataProfile) -> Outcome:
    """Every row that raised an error, has another shape, or is a damaged file is one too many."""
    faults = []
    for part in profile.data.parts:
        if not part.broken:
            continue
        first = part.broken[0]
        where = f" ({first.name})" if first.name else ""
        says = (
            f"{len(part.broken):,} of {count(part.looked + len(part.broken), f'{part.name} row')} cannot be"
            f" used: row {first.index}{where} {first.reason}"
        )
        todo = "Fix or remove these rows; training stops at the first one"
        faults.append(problem("", Severity.SERIOUS, says, todo=todo, samples=part.broken))
    looked = sum(part.looked for part in profile.data.parts)
    return Outcome(f"all {count(looked, 'row')} are readable", tuple(faults))


_SORTED: Annotated[float, "excess of equal neighbors; bench/thresholds.md#order"] = 0.3
_RISING: Annotated[float, "rank correlation of a number with its place"] = 0.9
_FEWEST = 50

_SHUFFLE = """\
train_loader = DataLoader(train_data, batch_size=64, shuffle=True)
# and before the data is split:
order = np.random.default_rng(0).permutation(len(x))
x, y = x[order], y[order]"""


@check("row-order", "Row order", 9, clears=(not_shuffled.CAUSE.slug,))
def row_order(profile: DataProfile) -> Outcome:
    """Sorted labels make batches of one class, and a split by position separates the classes."""
    data, part = profile.data, profile.data.training
    if not data.source.has_order:
        return unseen("image folders have no row order")
    if part.given is None or part.looked < _FEWEST or part.given.ndim > 1:
        return unseen("no targets, or too few rows")
    if data.task is Task.CLASSES and part.labels is not None:
        labels = part.labels[part.labels >= 0]
        if not len(labels) or labels.min() == labels.max():
            return unseen("only one class")
        chance = float(np.sum((np.bincount(labels) / len(labels)) ** 2))
        excess = (float(np.mean(labels[1:] == labels[:-1])) - chance) / (1 - chance)
        measured = f"order {excess:.2f}; 0 = shuffled, 1 = sorted, limit {_SORTED}"
        what, is_sorted = "labels", excess >= _SORTED
    else:
        rank = _rank_correlation(part.given.astype(np.float64))
        measured = f"rank correlation with the row number {rank:.2f}, limit {_RISING}"
        what, is_sorted = "targets", abs(rank) >= _RISING
    if not is_sorted:
        return Outcome(f"{what} are not sorted ({measured})")
    severity = Severity.SERIOUS if data.source.is_loader else Severity.WARNING
    where = "come sorted from the loader" if data.source.is_loader else "are sorted"
    says = f"{what} {where} ({measured})"
    todo = "Shuffle the training rows in every epoch, and before you split them"
    return fault(not_shuffled.CAUSE.slug, severity, says, todo, _SHUFFLE)


def _rank_correlation(values: Floats) -> float:
    finite = values[np.isfinite(values)]
    if len(finite) < _FEWEST or not finite.std():
        return 0.0
    ranks = np.argsort(np.argsort(finite, kind="stable"), kind="stable")
    return float(np.corrcoef(ranks, np.arange(len(finite)))[0, 1])


_HANDFUL: Annotated[int, "training rows; bench/thresholds.md#samples"] = 64
_MANY: Annotated[float, "parameters per row; bench/thresholds.md#samples"] = 50.0
_FAR_MORE: Annotated[float, "parameters per row that are a warning; bench/thresholds.md#samples"] = 1000.0


@check("data-size", "Data size", 14)
def data_size(profile: DataProfile) -> Outcome:
    """A model memorizes few rows; many parameters per row make that easy."""
    rows = profile.data.training.total
    says = count(rows, "training row")
    faults = []
    if rows <= _HANDFUL:
        few = f"only {says} (limit {_HANDFUL})"
        todo = "Get more data, augment it, or fine-tune a pretrained model; use cross-validation"
        faults.append(problem(overfitting.CAUSE.slug, Severity.WARNING, few, todo=todo))
    if profile.data.parameters is not None:
        each = profile.data.parameters / max(rows, 1)
        says = f"{count(profile.data.parameters, 'parameter')} for {says} ({each:,.3g} per row)"
        if each >= _MANY:
            severity = Severity.WARNING if each >= _FAR_MORE else Severity.INFO
            todo = "Use early stopping or regularization, or train fewer parameters"
            faults.append(problem(overfitting.CAUSE.slug, severity, says, todo=todo))
    return Outcome(says, tuple(faults))


_IMPUTE = """\
missing = np.isnan(train_x)
fill = np.nanmedian(train_x, axis=0)  # of the training rows
train_x = np.where(missing, fill, train_x)
# let the network see which values were missing
train_x = np.concatenate([train_x, missing], axis=1)"""

_DROP = """\
good = np.isfinite(train_x).reshape(len(train_x), -1).all(axis=1)
print(f"{(~good).sum()} rows dropped")
train_x, train_y = train_x[good], train_y[good]"""
_NAMED = 3


@dataclass(frozen=True)
class _Repair:
    """What to do about missing values, as an order and as code."""

    todo: str
    code: str


_FILL = _Repair("Fill them with the training median and add a missing-value mask, or drop the rows", _IMPUTE)
_REPAIR = _Repair(
    "Find their source (division by zero, log of 0, failed parsing), then fix or drop the rows", _DROP
)
_ENCODE = _Repair(
    "Encode blank cells as a category of their own, or drop the rows",
    'table = table.fillna({column: "missing" for column in categories})',
)
_nonfinite = partial(problem, non_finite_inputs.CAUSE.slug)


@check("non-finite", "Non-finite values", 1, clears=(non_finite_inputs.CAUSE.slug,))
def finite_values(profile: DataProfile) -> Outcome:
    """One NaN in a batch makes the loss NaN and, after one step, every weight."""
    faults: list[Finding] = []
    for part in profile.data.parts:
        faults += _inputs(profile, part)
        faults += _targets_missing(profile, part)
    values = sum(part.matrix.size for part in profile.data.parts)
    return Outcome(f"all {values:,} values are finite", tuple(faults))


def _inputs(profile: DataProfile, part: Part) -> list[Finding]:
    if part.matrix.dtype.kind != "f":
        return []
    finite = np.isfinite(part.matrix)
    if finite.all():
        return []
    faults = []
    endless = np.isinf(part.matrix)
    if endless.any():
        faults.append(_not_finite(profile, part, endless, "infinite", _REPAIR))
    missing = ~finite & ~endless & profile.data.numbers
    if missing.any():
        is_blank = profile.data.source.blanks
        word, repair = ("NaN or missing", _FILL) if is_blank else ("NaN", _REPAIR)
        faults.append(_not_finite(profile, part, missing, word, repair))
    # A blank category is no number: encoders make a category of it.
    blank = ~finite & profile.data.words
    if blank.any():
        faults.append(_not_finite(profile, part, blank, "blank", _ENCODE, Severity.WARNING))
    return faults


def _not_finite(
    profile: DataProfile,
    part: Part,
    bad: NDArray[np.bool_],
    word: str,
    repair: _Repair,
    severity: Severity = Severity.SERIOUS,
) -> Finding:
    columns = np.flatnonzero(bad.any(axis=0))
    worst = columns[np.argsort(-bad[:, columns].sum(axis=0), kind="stable")]
    rows = np.flatnonzero(bad.any(axis=1))
    names = tuple(profile.data.features[index] for index in worst)
    where = named(names) if len(columns) < part.matrix.shape[1] else f"all {count(len(columns), 'column')}"
    says = (
        f"{count(int(bad.sum()), 'value')} {'is' if bad.sum() == 1 else 'are'} {word} in {where}"
        f" ({part.name} {_row_numbers(part, rows)})"
    )
    listed_rows = rows_at(part, rows, word)
    return _nonfinite(
        severity, says, todo=repair.todo, code=repair.code, columns=names[:50], samples=listed_rows
    )


def _row_numbers(part: Part, places: Rows) -> str:
    """The first rows as the user counts them, and how many follow."""
    numbers = [str(int(part.rows[index])) for index in places]
    return f"{'row' if len(numbers) == 1 else 'rows'} {listed(numbers, _NAMED)}"


def _targets_missing(profile: DataProfile, part: Part) -> list[Finding]:
    if part.given is None:
        return []
    if profile.data.task is Task.CLASSES:
        bad = part.labels == UNKNOWN if part.labels is not None else np.zeros(0, dtype=bool)
    else:
        bad = ~np.isfinite(part.given.reshape(len(part.given), -1).astype(np.float64)).all(axis=1)
    rows = np.flatnonzero(bad)
    if not len(rows):
        return []
    says = f"{len(rows):,} of {count(part.looked, f'{part.name} target')} are missing or not finite"
    todo = "Drop the rows without a target"
    code = "has = np.isfinite(train_y)\ntrain_x, train_y = train_x[has], train_y[has]"
    name = (profile.data.source.target_name,) if profile.data.source.target_name else ()
    samples = rows_at(part, rows, "no target")
    return [_nonfinite(Severity.SERIOUS, says, todo=todo, code=code, columns=name, samples=samples)]


_SHARE: Annotated[float, "of the images; a slip or two are in every collection"] = 0.002


@check("blank-images", "Blank images", 5, clears=(input_outliers.CAUSE.slug,))
def blank_images(profile: DataProfile) -> Outcome:
    """A constant image is a broken file or a bad crop, and its label is wrong."""
    if profile.data.kind is not Kind.IMAGES:
        return unseen("not image data")
    faults = []
    for part in profile.data.parts:
        blank = np.flatnonzero(part.matrix.max(axis=1) == part.matrix.min(axis=1))
        if not len(blank):
            continue
        says = f"{len(blank):,} of {count(part.looked, f'{part.name} image')} have a single color"
        many = len(blank) > 1 and len(blank) >= _SHARE * part.looked
        todo = "Check these files, and drop the broken ones"
        severity = Severity.WARNING if many else Severity.INFO
        samples = rows_at(part, blank, "single color")
        faults.append(problem(input_outliers.CAUSE.slug, severity, says, todo=todo, samples=samples))
    return Outcome("every image has more than one color", tuple(faults))
