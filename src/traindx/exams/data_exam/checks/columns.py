"""Columns that are constant, repeat another or leak the target, and values far outside of the rest."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from traindx.causes import degenerate_labels, input_outliers, non_finite_inputs, train_val_leakage
from traindx.exams.data_exam.data import UNKNOWN, Array, Kind, Labels, Task
from traindx.exams.data_exam.measures import FEWEST
from traindx.exams.data_exam.profile import MOST_ROWS, DataProfile, named, rows_at
from traindx.exams.questions import Outcome, check, fault, unseen
from traindx.finding import Finding, Row, Severity, problem
from traindx.format import count, listed, number, printable
from traindx.run import Floats, Rows

_SAME = 1 - 1e-9
"""Correlation from which a column is the target in another unit."""

_FEWEST = 8
_SHOWN = 3


@check("columns", "Constant, duplicate and leaking columns", 8)
def columns(profile: DataProfile) -> Outcome:
    """A constant column breaks a division by its std; a copy of the target makes the task trivial."""
    data = profile.data
    if data.kind is not Kind.TABLE:
        same = bool((data.training.matrix == data.training.matrix[:1]).all())
        return _nothing() if same and data.training.looked > 1 else Outcome("rows differ")
    varies = profile.usual.varies
    if data.training.looked < _FEWEST or not np.isfinite(data.training.matrix).any():
        return unseen("too few numeric rows")
    if not varies.any():
        return _nothing()
    faults = _answers(profile)
    constant = tuple(name for name, is_varying in zip(data.features, varies, strict=True) if not is_varying)
    if constant:
        many = len(constant) * 2 > len(data.features)
        of = f"{len(constant):,} of {count(len(data.features), 'column')}"
        says = f"{of} {'is' if len(constant) == 1 else 'are'} constant: {named(constant)}"
        todo = "Drop them, or clip the std before you divide by it"
        code = "std = train_x.std(axis=0).clip(min=1e-6)"
        severity = Severity.WARNING if many else Severity.INFO
        cause = non_finite_inputs.CAUSE.slug
        faults.append(problem(cause, severity, says, todo=todo, code=code, columns=constant[:50]))
    twins = _twins(profile)
    if twins:
        says = f"{count(len(twins), 'column duplicates', 'columns duplicate')} another one: {named(twins)}"
        faults.append(problem("", Severity.INFO, says, todo="Drop the duplicates", columns=twins[:50]))
    return Outcome(f"{count(len(data.features), 'column')}, none constant or duplicate", tuple(faults))


def _nothing() -> Outcome:
    says = "all training rows are identical"
    todo = "Check what the pipeline returns; it may read the same row every time"
    return fault(degenerate_labels.CAUSE.slug, Severity.SERIOUS, says, todo)


def _twins(profile: DataProfile) -> list[str]:
    """Columns that are equal to an earlier one."""
    data, matrix = profile.data, profile.data.training.matrix
    first_of: dict[bytes, int] = {}
    twins = []
    for index in np.flatnonzero(profile.usual.varies):
        column = np.ascontiguousarray(matrix[:, index])
        key = column[:64].tobytes()
        first = first_of.setdefault(key, int(index))
        if first != index and np.array_equal(matrix[:, first], column, equal_nan=column.dtype.kind == "f"):
            twins.append(data.features[index])
    return twins


def _answers(profile: DataProfile) -> list[Finding]:
    """Columns that are the target under another name."""
    data, part = profile.data, profile.data.training
    if part.given is None or part.looked < 20 or part.given.ndim > 1:
        return []
    matrix = part.matrix
    places = np.flatnonzero(profile.usual.varies)
    if data.task is Task.CLASSES:
        copies = [
            column for column in places if part.labels is not None and _maps(matrix[:, column], part.labels)
        ]
    else:
        copies = [column for column in places if _follows(matrix[:, column], part.given)]
    if not copies:
        return []
    names = tuple(data.features[column] for column in copies)
    says = f"{named(names)} {'leaks' if len(names) == 1 else 'leak'} the target: values map to it one to one"
    todo = "Drop it, unless it is known at prediction time"
    return [problem(train_val_leakage.CAUSE.slug, Severity.SERIOUS, says, todo=todo, columns=names)]


def _maps(column: Array, labels: Labels) -> bool:
    """Whether values and classes map to each other one to one."""
    values = np.unique(column[:200])
    if len(values) != len(np.unique(labels[:200])):
        return False
    known = labels != UNKNOWN
    pairs = np.unique(np.stack([column[known].astype(np.float64), labels[known]]), axis=1)
    kinds = len(np.unique(labels[known]))
    return kinds > 1 and pairs.shape[1] == kinds == len(np.unique(pairs[0]))


def _follows(column: Array, target: Array) -> bool:
    values: Floats = column.astype(np.float64)
    other: Floats = target.astype(np.float64)
    both = np.isfinite(values) & np.isfinite(other)
    if both.sum() < 20 or not values[both].std() or not other[both].std():
        return False
    return abs(float(np.corrcoef(values[both], other[both])[0, 1])) >= _SAME


_FURTHER: Annotated[
    float, "times the distance to which the column's own tail reaches; bench/thresholds.md#exam-outliers"
] = 3.0
_SECOND: Annotated[float, "share of a column from which outliers are a second population"] = 0.05
_REPEATS = 3
"""Times that an outlier must occur to be a sentinel for missing values, and not a slip."""

_CLIP = """\
low, high = np.quantile(train_x, [0.001, 0.999], axis=0)
train_x, val_x = train_x.clip(low, high), val_x.clip(low, high)"""
_MISSING = """\
sentinel = np.isin(train_x, [{values}])
train_x = np.where(sentinel, np.nan, train_x)  # then fill as missing"""


@dataclass(frozen=True, eq=False)
class _Outliers:
    """A column with values far outside of the rest."""

    place: int
    rows: Rows
    sentinels: tuple[float, ...]
    """The values among them that repeat."""


@check("sentinel", "Sentinel values", 4, clears=(input_outliers.CAUSE.slug,))
def sentinel(profile: DataProfile) -> Outcome:
    """A number that stands for a missing value, such as -999, is learned as if it were measured."""
    why = _no_columns(profile)
    if why:
        return unseen(why)
    repeats: list[str] = []
    values: dict[str, None] = {}
    columns: list[str] = []
    rows: list[Row] = []
    for outlier in _outliers(profile):
        name, column = profile.data.features[outlier.place], profile.channels[:, outlier.place]
        for value in outlier.sentinels:
            places = np.flatnonzero(column == value)
            shown = number(value).replace(",", "")
            repeats.append(f"{shown} repeats {len(places):,} times in {printable(name, 32)}")
            values[shown] = None
            columns.append(name)
            rows += rows_at(profile.data.training, places, f"{printable(name, 40)} = {shown}")
    if not repeats:
        return Outcome("no sentinel values")
    says = f"{listed(repeats, _SHOWN)}: probably a missing-value sentinel"
    todo, code = "Treat it as missing, not as a number", _MISSING.format(values=", ".join(values))
    cause, samples = input_outliers.CAUSE.slug, tuple(rows[:MOST_ROWS])
    return fault(cause, Severity.WARNING, says, todo, code, columns=columns[:50], samples=samples)


@check("outliers", "Outliers", 4, clears=(input_outliers.CAUSE.slug,))
def outliers(profile: DataProfile) -> Outcome:
    """A few outliers decide scale and gradient; tails that the column itself shows are none."""
    why = _no_columns(profile)
    if why:
        return unseen(why)
    rows: list[Row] = []
    offending, values, furthest = [], 0, 0.0
    for outlier in _outliers(profile):
        name, column = profile.data.features[outlier.place], profile.channels[:, outlier.place]
        single = outlier.rows[~np.isin(column[outlier.rows], outlier.sentinels)]
        if not len(single):
            continue
        offending.append(name)
        values += len(single)
        rows += [
            profile.data.training.row(int(at), f"{printable(name, 40)} = {number(float(column[at]))}")
            for at in single[:MOST_ROWS]
        ]
        std = float(profile.usual.std[outlier.place]) or 1.0
        furthest = max(
            furthest, float(np.abs(column[single] - profile.usual.median[outlier.place]).max()) / std
        )
    if not offending:
        return Outcome("no outliers")
    says = (
        f"{count(values, 'outlier')} in {count(len(offending), 'column')}, up to {number(furthest)} std from"
        f" the median: {named(offending)}"
    )
    todo = "Check these rows; fix errors and units, and clip values that are real but rare"
    cause, samples = input_outliers.CAUSE.slug, tuple(rows[:MOST_ROWS])
    return fault(cause, Severity.WARNING, says, todo, _CLIP, columns=offending[:50], samples=samples)


def _no_columns(profile: DataProfile) -> str:
    """Why columns cannot be judged one by one; empty if they can."""
    if profile.data.kind is not Kind.TABLE:
        return f"{profile.data.kind.value} have no columns to compare"
    return f"fewer than {FEWEST} rows" if profile.data.training.looked < FEWEST else ""


def _outliers(profile: DataProfile) -> Iterator[_Outliers]:
    """The columns with outliers."""
    for index in np.flatnonzero(profile.judged & profile.usual.varies):
        column = profile.channels[:, index]
        rows = _outlying_rows(column, profile, int(index))
        if len(rows):
            yield _Outliers(int(index), rows, _repeated(column[rows]))


def _outlying_rows(column: Floats, profile: DataProfile, index: int) -> Rows:
    """The rows whose value lies several times as far out as the column's own tail reaches."""
    usual = profile.usual
    middle = float(usual.median[index])
    with np.errstate(invalid="ignore"):
        above = np.isfinite(column) & (column - middle > _FURTHER * (usual.high[index] - middle))
        below = np.isfinite(column) & (middle - column > _FURTHER * (middle - usual.low[index]))
    outlying = np.zeros(len(column), dtype=bool)
    for side in (above, below):
        if 0 < side.mean() <= _SECOND:
            outlying |= side
    return np.flatnonzero(outlying)


def _repeated(values: Floats) -> tuple[float, ...]:
    known, counts = np.unique(values, return_counts=True)
    least = max(_REPEATS, 0.5 * len(values))
    return tuple(float(value) for value, times in zip(known, counts, strict=True) if times >= least)
