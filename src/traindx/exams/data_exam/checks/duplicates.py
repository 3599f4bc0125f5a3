"""Rows that stand in the training data more than once."""

from typing import Annotated

import numpy as np

from traindx.causes import label_noise, train_val_leakage
from traindx.exams.check import Check, Outcome, unseen
from traindx.exams.data_exam.dataset.data import Part
from traindx.exams.data_exam.dataset.look import Look
from traindx.exams.data_exam.dataset.question import rows_at
from traindx.finding import Finding, Severity, problem
from traindx.format import count
from traindx.run import Rows

_SHARE: Annotated[
    float, "of the rows; public data sets hold some true duplicates; bench/thresholds.md#exam-duplicates"
] = 0.01
_FEWEST = 2

_DROP_COPIES = """\
flat = x.reshape(len(x), -1)  # before the data is split
first = np.sort(np.unique(flat, axis=0, return_index=True)[1])
x, y = x[first], y[first]"""


def _duplicates(look: Look) -> Outcome:
    """Copies count several times, and a random split puts them on both sides."""
    if not look.tells_rows_apart:
        return unseen("rows hold too little to be known again: some agree by chance")
    part = look.data.training
    _, first, groups, counts = np.unique(
        look.keys[0], return_index=True, return_inverse=True, return_counts=True
    )
    again = (counts[groups] > 1) & (first[groups] != np.arange(part.looked))
    later = np.flatnonzero(again & look.telling[0])
    if not len(later):
        return Outcome("no training row stands there twice")
    faults = [*_contradictions(part, groups), _repeats(part, later)]
    return Outcome(f"{count(len(later), 'training row')} repeat an earlier one", tuple(faults))


def _repeats(part: Part, later: Rows) -> Finding:
    share = len(later) / part.looked
    many = share >= _SHARE and len(later) >= _FEWEST
    says = (
        f"{count(len(later), 'training row')} of {part.looked:,} ({share:.1%}) repeat an earlier row exactly"
    )
    todo = "Drop the copies before the data is split: a random split puts them on both sides"
    rows = rows_at(part, later, "repeats an earlier row")
    return problem(
        train_val_leakage.CAUSE.slug,
        Severity.WARNING if many else Severity.INFO,
        says,
        todo=todo,
        code=_DROP_COPIES,
        samples=rows,
    )


def _contradictions(part: Part, groups: Rows) -> list[Finding]:
    """Equal rows with different labels: one of them is wrong, or the inputs lack what tells them apart."""
    if part.labels is None:
        return []
    largest, smallest = np.full(groups.max() + 1, -1), np.full(groups.max() + 1, 1 << 60)
    np.maximum.at(largest, groups, part.labels)
    np.minimum.at(smallest, groups, part.labels)
    rows = np.flatnonzero((largest != smallest)[groups])
    if not len(rows):
        return []
    share = len(rows) / part.looked
    says = (
        f"{count(len(rows), 'training row')} ({share:.1%}) have the same inputs as another and another label"
    )
    todo = "Decide on one label for each, or add the input that tells them apart"
    severity = Severity.WARNING if share >= _SHARE else Severity.INFO
    found = rows_at(part, rows, "same inputs as another row, another label")
    return [problem(label_noise.CAUSE.slug, severity, says, todo=todo, samples=found)]


DUPLICATES = Check("duplicates", "Do training rows repeat each other?", _duplicates, 10)
