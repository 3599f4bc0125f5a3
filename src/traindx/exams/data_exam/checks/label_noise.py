"""Labels that the nearest rows contradict.

Each row is voted on by its ten nearest, and then again with the labels of the first vote, so that wrong
labels around it count for less. A label is doubted where the second vote is clear and speaks against it.

Where a rule that is no matter of nearness, linear in the values and their squares, knows the labels better
than the nearest rows do, it has to speak against a label as well.

Classes that overlap are contradicted too, at their borders. Wrong labels are contradicted everywhere: so the
data is called noisy only where rows deep inside of a class are contradicted nearly as often as all rows are.
"""

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from traindx.causes import label_noise
from traindx.exams.data_exam.data import Kind, Labels, Task
from traindx.exams.data_exam.measures import Points, nearest
from traindx.exams.data_exam.profile import MOST_ROWS, DataProfile
from traindx.exams.questions import Outcome, check, fault, unseen
from traindx.finding import Severity
from traindx.format import count, printable
from traindx.run import Floats, Rows

_VOTERS: Annotated[int, "nearest rows; bench/thresholds.md#exam-label-noise"] = 10
_CLEAR: Annotated[float, "share of the second vote"] = 0.8
_BACKED: Annotated[float, "share of the first vote that a doubted label may have"] = 0.3
_DEEP: Annotated[float, "share of the first vote deep inside of a class; the second must be of one mind"] = (
    0.9
)
_NOISY: Annotated[float, "share of contradicted labels deep inside; bench/thresholds.md#exam-label-noise"] = (
    0.03
)
_EVEN: Annotated[
    float, "contradicted deep inside over contradicted at all; bench/thresholds.md#exam-label-noise"
] = 0.5
_SERIOUS: Annotated[float, "share of contradicted labels deep inside"] = 0.1
_FEWEST_DEEP: Annotated[float, "share of rows deep inside, below which nothing can be told"] = 0.05
_MOST_POINTS = 10_000
_MOST_CLASSES = 200
_FEWEST = 60
_FOLDS = 5

_CODE = """\
# rows.csv: traindx examine data ... --export rows.csv
rows = list(csv.DictReader(open("rows.csv")))
doubted = [int(r["row"]) for r in rows if r["check"] == "wrong-labels"]"""


@dataclass(frozen=True, eq=False)
class Votes:
    """What the nearest rows say about every row."""

    says: Labels
    doubted: NDArray[np.bool_]
    contradicted: float
    """Share of labels that the first vote is against."""
    deep: NDArray[np.bool_]
    inside: float
    """Share of labels deep inside of a class that the vote is against."""


@check("wrong-labels", "Wrong labels", 7, clears=(label_noise.CAUSE.slug,))
def neighbors_agree(profile: DataProfile) -> Outcome:
    """Wrong labels are memorized late in training, and cost accuracy from there on."""
    data, labels = profile.data, profile.data.training.labels
    if data.task is not Task.CLASSES or labels is None:
        return unseen("no class labels")
    if data.kind is Kind.TOKENS:
        return unseen("token data has no distances")
    places = _judged(labels)
    if len(places) < _FEWEST or len(data.classes) > _MOST_CLASSES:
        return unseen("too few rows per class")
    votes = voted(profile.space.training[places], labels[places], len(data.classes))
    if votes is None:
        return unseen("nearest neighbors predict the labels no better than chance")
    agreeing = f"the {_VOTERS} nearest neighbors agree with {1 - votes.contradicted:.0%} of the labels"
    looked = "" if len(places) == data.training.total else f" of {len(places):,} checked"
    if votes.deep.mean() < _FEWEST_DEEP:
        return unseen(f"{agreeing}; the classes overlap too much to find single wrong labels")
    doubted = np.flatnonzero(votes.doubted)
    enough = (votes.doubted & votes.deep).sum() >= 5
    if not enough or votes.inside < _NOISY or votes.inside < _EVEN * votes.contradicted:
        return Outcome(agreeing)
    says = (
        f"about {votes.inside:.0%} of the labels look wrong (limit {_NOISY:.0%}):"
        f" {count(len(doubted), 'row')}{looked} with neighbors of another class"
    )
    rows = tuple(
        data.training.row(
            int(places[at]),
            f"labeled {printable(data.classes[labels[places[at]]], 40)}, neighbors are"
            f" {printable(data.classes[votes.says[at]], 40)}",
        )
        for at in doubted[:MOST_ROWS]
    )
    severity = Severity.SERIOUS if votes.inside >= _SERIOUS else Severity.WARNING
    todo = "Review the suspect rows (--export lists them), then fix or drop the wrong ones"
    return fault(label_noise.CAUSE.slug, severity, says, todo, _CODE, samples=rows)


def _judged(labels: Labels) -> Rows:
    """Rows with a label whose class has enough members to vote, evenly spaced where there are very many."""
    counts = np.bincount(labels[labels >= 0], minlength=1)
    common = (labels >= 0) & (counts[np.maximum(labels, 0)] > _VOTERS)
    places = np.flatnonzero(common)
    return places[:: max(1, -(-len(places) // _MOST_POINTS))]


def voted(points: Points, labels: Labels, classes: int) -> Votes | None:
    """Two rounds of votes; None where even the first knows no better than the commonest class."""
    voters = nearest(points, points, _VOTERS, own=np.arange(len(points))).places
    first = _shares(labels[voters], classes)
    says = first.argmax(axis=1)
    second = _shares(says[voters], classes)
    verdict = second.argmax(axis=1)
    backed = first[np.arange(len(labels)), labels]
    against = verdict != labels
    doubted = against & (second.max(axis=1) >= _CLEAR) & (backed <= _BACKED) & (verdict == says)
    deep = (first.max(axis=1) >= _DEEP) & (second.max(axis=1) == 1)
    contradicted = float(np.mean(says != labels))
    ruled = _ruled(points, labels, classes)
    if np.mean(ruled != labels) < contradicted:
        against &= ruled != labels
        doubted &= ruled != labels
    chance = 1 - np.bincount(labels).max() / len(labels)
    if contradicted >= chance:
        return None
    inside = float(np.mean(against[deep])) if deep.any() else 0.0
    return Votes(verdict, doubted, contradicted, deep, inside)


def _ruled(points: Points, labels: Labels, classes: int) -> Labels:
    """What a rule says that is linear in the values and their squares, learned on the other rows."""
    values = np.concatenate([points, points**2, np.ones((len(points), 1), np.float32)], axis=1).astype(
        np.float64
    )
    wanted = np.eye(classes)[labels]
    says = np.empty_like(labels)
    for fold in range(_FOLDS):
        rest = np.delete(values, slice(fold, None, _FOLDS), axis=0)
        firm = np.eye(rest.shape[1]) * 1e-2 * len(rest)
        weights = np.linalg.solve(
            rest.T @ rest + firm, rest.T @ np.delete(wanted, slice(fold, None, _FOLDS), axis=0)
        )
        says[fold::_FOLDS] = (values[fold::_FOLDS] @ weights).argmax(axis=1)
    return says


def _shares(labels: Labels, classes: int) -> Floats:
    """Rows by voters to rows by classes."""
    rows = np.repeat(np.arange(len(labels)), labels.shape[1])
    tally = np.bincount(rows * classes + labels.reshape(-1), minlength=len(labels) * classes)
    shares: Floats = tally.reshape(len(labels), classes) / labels.shape[1]
    return shares
