"""Values far outside of what their column shows."""

from typing import Annotated

import numpy as np

from traindx.causes import input_outliers
from traindx.exams.check import Check, Outcome, unseen
from traindx.exams.data_exam.dataset.columns import FEWEST
from traindx.exams.data_exam.dataset.data import Kind
from traindx.exams.data_exam.dataset.look import Look
from traindx.exams.data_exam.dataset.question import MOST_ROWS, named
from traindx.finding import Row, Severity, problem
from traindx.format import count, number, printable
from traindx.run import Floats, Rows

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


def _outliers(look: Look) -> Outcome:
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
    fault = problem(
        input_outliers.CAUSE.slug,
        Severity.WARNING,
        says,
        todo=todo,
        code=code,
        columns=tuple(guilty[:50]),
        samples=tuple(rows[:MOST_ROWS]),
    )
    return Outcome(says, (fault,))


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


OUTLIERS = Check(
    "outliers",
    "Do values lie far outside of the rest of their column?",
    _outliers,
    4,
    clears=(input_outliers.CAUSE.slug,),
)
