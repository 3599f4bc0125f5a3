"""Rows that occur in the training data more than once, or in the validation data too.

A row is nearly the same as a training row when it is far nearer to it than training rows are to each other.
How near rows come by chance depends on how many directions they spread in; that is told from the distances
between training rows, whose small ones fall off as a power of that number.
"""

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from traindx.causes import label_noise, train_val_leakage
from traindx.exams.data_exam.data import Data, Kind, Part
from traindx.exams.data_exam.measures import nearest
from traindx.exams.data_exam.profile import MOST_ROWS, DataProfile, rows_at
from traindx.exams.questions import Outcome, check, share_text, unseen
from traindx.finding import Finding, Row, Severity, problem
from traindx.format import count
from traindx.run import Floats, Rows

_SHARE: Annotated[
    float, "of the rows; public data sets hold some true duplicates; bench/thresholds.md#exam-duplicates"
] = 0.01
_FEWEST = 2

_DROP_COPIES = """\
flat = x.reshape(len(x), -1)  # before the data is split
first = np.sort(np.unique(flat, axis=0, return_index=True)[1])
x, y = x[first], y[first]"""


@check("duplicates", "Duplicate rows", 10)
def duplicates(profile: DataProfile) -> Outcome:
    """Copies count several times, and a random split puts them on both sides."""
    if not profile.tells_rows_apart:
        return unseen("rows have too few distinct values to identify duplicates")
    part = profile.data.training
    _, first, groups, counts = np.unique(
        profile.keys[0], return_index=True, return_inverse=True, return_counts=True
    )
    again = (counts[groups] > 1) & (first[groups] != np.arange(part.looked))
    later = np.flatnonzero(again & profile.telling[0])
    if not len(later):
        return Outcome("no duplicate training rows")
    faults = [*_contradictions(part, groups), _repeats(part, later)]
    return Outcome(f"{count(len(later), 'duplicate training row')}", tuple(faults))


def _repeats(part: Part, later: Rows) -> Finding:
    share = len(later) / part.looked
    many = share >= _SHARE and len(later) >= _FEWEST
    says = (
        f"{share_text(share)} of training rows ({len(later):,} of {part.looked:,}) are exact duplicates of an"
        " earlier row"
    )
    todo = "Drop duplicates before splitting; a random split puts them on both sides"
    rows = rows_at(part, later, "duplicate of an earlier row")
    severity = Severity.WARNING if many else Severity.INFO
    return problem(train_val_leakage.CAUSE.slug, severity, says, todo=todo, code=_DROP_COPIES, samples=rows)


def _contradictions(part: Part, groups: Rows) -> list[Finding]:
    """Equal rows with different labels: one of them is wrong, or an input is missing."""
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
        f"{share_text(share)} of training rows ({len(rows):,} of {part.looked:,}) have the same inputs as"
        " another row but a different label"
    )
    todo = "Fix the labels, or add the input that distinguishes these rows"
    severity = Severity.WARNING if share >= _SHARE else Severity.INFO
    conflicting = rows_at(part, rows, "same inputs as another row, different label")
    return [problem(label_noise.CAUSE.slug, severity, says, todo=todo, samples=conflicting)]


_LEAKED: Annotated[float, "of the validation rows; bench/thresholds.md#exam-duplicates"] = 0.01
_SERIOUS: Annotated[float, "of the validation rows; bench/thresholds.md#exam-duplicates"] = 0.05
_BY_CHANCE: Annotated[float, "share of rows that may come so near by chance"] = 0.001
_NEAR: Annotated[float, "of the usual distance to the nearest row, at most"] = 0.3
_FEWEST_DIRECTIONS: Annotated[float, "below, rows come near by chance"] = 4.0
_MOST_ASKED = 2000
_MEASURED = 500
"""Training rows from which the usual distance is taken."""

_DROP_HELD = """\
held = {row.tobytes() for row in np.ascontiguousarray(val_x)}
rows = np.ascontiguousarray(train_x)
keep = np.array([row.tobytes() not in held for row in rows])
train_x, train_y = train_x[keep], train_y[keep]
# keep each group on one side of the split:
# GroupShuffleSplit(test_size=0.2).split(x, y, groups)"""


@dataclass(frozen=True)
class _Likeness:
    """How much alike two rows are, as a noun and as a statement."""

    kind: str
    says: str


_EXACT = _Likeness("duplicate", "also occur in the training data")
_NEARLY = _Likeness("near-duplicate", "are near-duplicates of training rows")


@dataclass(frozen=True, eq=False)
class Twins:
    """Validation rows that nearly repeat a training row, and the rows they repeat."""

    held: Rows
    trained: Rows
    asked: int


@check("leakage", "Validation rows in the training data", 11, clears=(train_val_leakage.CAUSE.slug,))
def leakage(profile: DataProfile) -> Outcome:
    """A memorized row is recognized in validation, and the score is too good."""
    data = profile.data
    if data.validation is None:
        return unseen("no validation data; add --validation")
    if not profile.tells_rows_apart:
        return unseen("rows have too few distinct values to identify duplicates")
    known, places = np.unique(profile.keys[0], return_index=True)
    at = np.clip(np.searchsorted(known, profile.keys[1]), 0, len(known) - 1)
    exact = np.flatnonzero((known[at] == profile.keys[1]) & profile.telling[1])
    trained = places[at[exact]]
    faults = _fault(data, exact, trained, data.validation.looked, _EXACT)
    near = None if data.kind is Kind.TOKENS else _near(profile, exact)
    if near is not None:
        faults += _fault(data, near.held, near.trained, near.asked, _NEARLY)
    whole = "" if data.training.looked == data.training.total else " (sampled)"
    held = f"{len(exact):,} of {count(data.validation.looked, 'validation row')}"
    return Outcome(f"{held} also occur in the training data{whole}", tuple(faults))


def _fault(data: Data, held: Rows, trained: Rows, asked: int, how: _Likeness) -> list[Finding]:
    if not len(held):
        return []
    assert data.validation is not None
    share = len(held) / asked
    severity = Severity.INFO
    if share >= _LEAKED and len(held) >= _FEWEST:
        severity = Severity.SERIOUS if share >= _SERIOUS else Severity.WARNING
    of = f"{len(held):,} of {asked:,}" + ("" if asked == data.validation.looked else " checked")
    says = f"{share_text(share)} of validation rows ({of}) {how.says}"
    rows: list[Row] = []
    for index, twin in list(zip(held, trained, strict=True))[:MOST_ROWS]:
        other = data.training.row(int(twin), "")
        name = other.name or f"training row {other.index}"
        rows.append(data.validation.row(int(index), f"{how.kind} of {name}"))
    todo = "Remove them from the training data, and split by group"
    return [
        problem(train_val_leakage.CAUSE.slug, severity, says, todo=todo, code=_DROP_HELD, samples=tuple(rows))
    ]


def _near(profile: DataProfile, exact: Rows) -> Twins | None:
    """Rows that are much nearer to a training row than chance allows; None where chance allows anything."""
    space = profile.space
    if space.validation is None or len(space.training) < 50:
        return None
    own = np.arange(0, len(space.training), max(1, len(space.training) // _MEASURED))
    usual = nearest(space.training[own], space.training, 1, own=own).distance
    limit = _limit(usual)
    if limit is None:
        return None
    others = np.setdiff1d(np.arange(len(space.validation)), exact)
    places = others[:: max(1, len(others) // _MOST_ASKED)]
    if not len(places):
        return None
    neighbors = nearest(space.validation[places], space.training, 1)
    close = neighbors.distance <= limit
    return Twins(places[close], neighbors.nearest[close], len(places))


def _limit(usual: Floats) -> float | None:
    """The distance below which one row in a thousand lies by chance."""
    apart = usual[usual > 0]
    if len(apart) < 50:
        return None
    tenth, half = np.percentile(apart, (10, 50))
    if tenth <= 0 or tenth >= half:
        return None
    # Of a Weibull law of that shape, as nearest distances follow: the tenth and the half give the shape.
    directions = float(np.log(np.log(1 / 0.9) / np.log(2)) / np.log(tenth / half))
    if directions < _FEWEST_DIRECTIONS:
        return None
    return float(half * min(_NEAR, (_BY_CHANCE / np.log(2)) ** (1 / directions)))
