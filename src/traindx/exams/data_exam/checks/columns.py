"""Columns that tell nothing, repeat another or give the answer away, and values far outside of the rest."""

from typing import Annotated

import numpy as np

from traindx.causes import degenerate_labels, input_outliers, non_finite_inputs, train_val_leakage
from traindx.exams.data_exam.data import UNKNOWN, Array, Kind, Labels, Task
from traindx.exams.data_exam.look import MOST_ROWS, Look, named
from traindx.exams.data_exam.measures import FEWEST
from traindx.exams.questions import Outcome, check, fault, unseen
from traindx.finding import Finding, Row, Severity, problem
from traindx.format import count, number, printable
from traindx.run import Floats, Rows

_SAME = 1 - 1e-9
"""Correlation from which a column is the target in another unit."""

_FEWEST = 8


@check("features", "Are columns constant, repeated, or copies of the target?", 8)
def features(look: Look) -> Outcome:
    """A constant column breaks a division by its deviation; a copy of the target makes the task a sham."""
    data = look.data
    if data.kind is not Kind.TABLE:
        same = bool((data.training.matrix == data.training.matrix[:1]).all())
        return _nothing() if same and data.training.looked > 1 else Outcome("rows differ")
    varies = look.usual.varies
    if data.training.looked < _FEWEST or not np.isfinite(data.training.matrix).any():
        return unseen("too few rows with numbers to tell")
    if not varies.any():
        return _nothing()
    faults = _answers(look)
    constant = tuple(name for name, one in zip(data.features, varies, strict=True) if not one)
    if constant:
        many = len(constant) * 2 > len(data.features)
        of = f"{count(len(constant), 'column')} of {len(data.features):,}"
        says = f"{of} hold one value only: {named(constant)}"
        todo = "Leave them out, or keep the division by their deviation from giving NaN"
        code = "std = train_x.std(axis=0).clip(min=1e-6)"
        severity, columns = Severity.WARNING if many else Severity.INFO, constant[:50]
        cause = non_finite_inputs.CAUSE.slug
        faults.append(problem(cause, severity, says, todo=todo, code=code, columns=columns))
    twins = _twins(look)
    if twins:
        says = f"{count(len(twins), 'column')} repeat another: {named(twins)}"
        faults.append(problem("", Severity.INFO, says, todo="Leave the copies out", columns=twins[:50]))
    return Outcome(f"{count(len(data.features), 'column')} vary, and none repeats another", tuple(faults))


def _nothing() -> Outcome:
    says = "every training row is the same"
    todo = "Look at what the pipeline returns: it may read one row again and again"
    return fault(degenerate_labels.CAUSE.slug, Severity.SERIOUS, says, todo)


def _twins(look: Look) -> list[str]:
    """Columns that are equal to an earlier one."""
    data, matrix = look.data, look.data.training.matrix
    seen: dict[bytes, int] = {}
    twins = []
    for place in np.flatnonzero(look.usual.varies):
        column = np.ascontiguousarray(matrix[:, place])
        key = column[:64].tobytes()
        first = seen.setdefault(key, int(place))
        if first != place and np.array_equal(matrix[:, first], column, equal_nan=column.dtype.kind == "f"):
            twins.append(data.features[place])
    return twins


def _answers(look: Look) -> list[Finding]:
    """Columns that are the target under another name."""
    data, part = look.data, look.data.training
    if part.given is None or part.looked < 20 or part.given.ndim > 1:
        return []
    matrix = part.matrix
    places = np.flatnonzero(look.usual.varies)
    if data.task is Task.CLASSES:
        found = [
            place for place in places if part.labels is not None and _maps(matrix[:, place], part.labels)
        ]
    else:
        found = [place for place in places if _follows(matrix[:, place], part.given)]
    if not found:
        return []
    names = tuple(data.features[place] for place in found)
    says = f"the target can be read off {named(names)}: values and targets stand for each other, one for one"
    todo = "Leave the column out: it will not be there when the model is used"
    return [problem(train_val_leakage.CAUSE.slug, Severity.SERIOUS, says, todo=todo, columns=names)]


def _maps(column: Array, labels: Labels) -> bool:
    """Whether values and classes stand for each other, one for one."""
    values = np.unique(column[:200])
    if len(values) != len(np.unique(labels[:200])):
        return False
    known = labels != UNKNOWN
    pairs = np.unique(np.stack([column[known].astype(np.float64), labels[known]]), axis=1)
    kinds = len(np.unique(labels[known]))
    return kinds > 1 and pairs.shape[1] == kinds == len(np.unique(pairs[0]))


def _follows(column: Array, target: Array) -> bool:
    one: Floats = column.astype(np.float64)
    other: Floats = target.astype(np.float64)
    both = np.isfinite(one) & np.isfinite(other)
    if both.sum() < 20 or not one[both].std() or not other[both].std():
        return False
    return abs(float(np.corrcoef(one[both], other[both])[0, 1])) >= _SAME


_FURTHER: Annotated[
    float, "times the distance to which the column's own tail reaches; bench/thresholds.md#exam-outliers"
] = 3.0
_SECOND: Annotated[float, "share of a column from which wild values are a second population"] = 0.05
_MARK = 3
"""Times that a wild value must stand for a mark of missing values, and not for a slip."""

_CLIP = """\
low, high = np.quantile(train_x, [0.001, 0.999], axis=0)
train_x, val_x = train_x.clip(low, high), val_x.clip(low, high)"""
_MISSING = """\
marks = np.isin(train_x, [{marks}])
train_x = np.where(marks, np.nan, train_x)  # then fill as missing"""


@check(
    "outliers",
    "Do values lie far outside of the rest of their column?",
    4,
    clears=(input_outliers.CAUSE.slug,),
)
def outliers(look: Look) -> Outcome:
    """A few wild values decide scale and gradient; tails that the column itself shows are not wild."""
    data = look.data
    if data.kind is not Kind.TABLE:
        return unseen(f"the values of {data.kind.value} have no columns of their own")
    if data.training.looked < FEWEST:
        return unseen(f"fewer than {FEWEST} rows")
    matrix = look.channels
    rows: list[Row] = []
    guilty, marks, values = [], [], 0
    furthest = 0.0
    for place in np.flatnonzero(look.judged & look.usual.varies):
        column = matrix[:, place]
        wild = _wild_rows(column, look, int(place))
        if not len(wild):
            continue
        name = data.features[place]
        guilty.append(name)
        values += len(wild)
        rows += [
            data.training.row(int(at), f"{printable(name, 40)} is {number(float(column[at]))}")
            for at in wild[:MOST_ROWS]
        ]
        spread = float(look.usual.std[place]) or 1.0
        furthest = max(furthest, float(np.abs(column[wild] - look.usual.median[place]).max()) / spread)
        marks += _marks(column[wild])
    if not guilty:
        return Outcome("no value lies far outside of the tail of its column")
    says = (
        f"{count(values, 'value')} in {count(len(guilty), 'column')} lie far outside of the rest, up to"
        f" {number(furthest)} usual deviations from the median: {named(guilty)}"
    )
    todo, code = "Look at these rows; repair slips and units, and clip what is real but rare", _CLIP
    if marks:
        shown = ", ".join(number(mark).replace(",", "") for mark in dict.fromkeys(marks))
        says += f"; {shown} stands there again and again, as a mark for missing values does"
        todo, code = "Treat the mark as missing, not as a number", _MISSING.format(marks=shown)
    cause, samples = input_outliers.CAUSE.slug, tuple(rows[:MOST_ROWS])
    return fault(cause, Severity.WARNING, says, todo, code, columns=guilty[:50], samples=samples)


def _wild_rows(column: Floats, look: Look, place: int) -> Rows:
    """The rows whose value lies several times as far out as the column's own tail reaches."""
    usual = look.usual
    middle = float(usual.median[place])
    with np.errstate(invalid="ignore"):
        above = np.isfinite(column) & (column - middle > _FURTHER * (usual.high[place] - middle))
        below = np.isfinite(column) & (middle - column > _FURTHER * (middle - usual.low[place]))
    wild = np.zeros(len(column), dtype=bool)
    for side in (above, below):
        if 0 < side.mean() <= _SECOND:
            wild |= side
    return np.flatnonzero(wild)


def _marks(values: Floats) -> list[float]:
    known, counts = np.unique(values, return_counts=True)
    return [
        float(one) for one, times in zip(known, counts, strict=True) if times >= max(_MARK, 0.5 * len(values))
    ]
