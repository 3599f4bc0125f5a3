"""Columns that tell nothing, tell the same, or tell the answer."""

import numpy as np

from traindx.causes import degenerate_labels, non_finite_inputs, train_val_leakage
from traindx.exams.check import Check, Outcome, unseen
from traindx.exams.data_exam.dataset.data import UNKNOWN, Kind, Labels, Task
from traindx.exams.data_exam.dataset.look import Look
from traindx.exams.data_exam.dataset.question import named
from traindx.exams.data_exam.dataset.raw import Array
from traindx.finding import Finding, Severity, problem
from traindx.format import count
from traindx.run import Floats

_SAME = 1 - 1e-9
"""Correlation from which a column is the target in another unit."""

_FEWEST = 8


def _features(look: Look) -> Outcome:
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
        faults.append(
            problem(
                non_finite_inputs.CAUSE.slug,
                Severity.WARNING if many else Severity.INFO,
                says,
                todo=todo,
                code=code,
                columns=constant[:50],
            )
        )
    twins = _twins(look)
    if twins:
        says = f"{count(len(twins), 'column')} repeat another: {named(twins)}"
        faults.append(
            problem("", Severity.INFO, says, todo="Leave the copies out", columns=tuple(twins[:50]))
        )
    return Outcome(f"{count(len(data.features), 'column')} vary, and none repeats another", tuple(faults))


def _nothing() -> Outcome:
    says = "every training row is the same"
    todo = "Look at what the pipeline returns: it may read one row again and again"
    return Outcome(says, (problem(degenerate_labels.CAUSE.slug, Severity.SERIOUS, says, todo=todo),))


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


FEATURES = Check("features", "Are columns constant, repeated, or copies of the target?", _features, 8)
