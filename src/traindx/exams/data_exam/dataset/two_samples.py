"""How far two samples are apart, and how likely chance puts them there."""

import math
from dataclasses import dataclass

import numpy as np

from traindx.exams.data_exam.dataset.neighbours import Points
from traindx.run import Floats

_MOST = 20_000
_MOST_TOLD = 4000
_FOLDS = 2
_FIRM = 1e-2
"""Of the mean variance, added to every direction, so that many directions of few rows can be told."""


@dataclass(frozen=True)
class Distance:
    """Kolmogorov and Smirnov's distance or an area under the curve, and the chance of one as large."""

    area: float
    chance: float


def distance(one: Floats, other: Floats) -> Distance:
    """The largest distance between two distribution functions, with its chance for equal ones."""
    one, other = (_sample(np.sort(part[np.isfinite(part)]), _MOST) for part in (one, other))
    if not len(one) or not len(other):
        return Distance(0.0, 1.0)
    # A mean of many equal values may differ in its last bit, and sorts apart then.
    every = np.concatenate([one, other])
    here = np.searchsorted(one, every, side="right") / len(one)
    there = np.searchsorted(other, every, side="right") / len(other)
    far = float(np.abs(here - there).max())
    rows = math.sqrt(len(one) * len(other) / (len(one) + len(other)))
    return Distance(far, _kolmogorov((rows + 0.12 + 0.11 / rows) * far))


def _kolmogorov(size: float) -> float:
    """The chance of a distance of that size; the series of Kolmogorov."""
    if size < 0.3:
        return 1.0
    terms = [(1.0 if number % 2 else -1.0) * math.exp(-2 * (number * size) ** 2) for number in range(1, 20)]
    return min(1.0, max(0.0, 2 * sum(terms)))


def separability(one: Points, other: Points) -> Distance:
    """How well a linear rule on coordinates and their squares, learned on one half, tells rows of the other.

    Halves are every second row, so that a trend over the rows is in both.
    """
    parts = [_sample(part.astype(np.float64), _MOST_TOLD) for part in (one, other)]
    parts = [np.concatenate([part, part**2], axis=1) for part in parts]
    if min(map(len, parts)) < 2 * _FOLDS:
        return Distance(0.5, 1.0)
    scores: list[list[Floats]] = [[], []]
    for fold in range(_FOLDS):
        learned = [np.delete(part, slice(fold, None, _FOLDS), axis=0) for part in parts]
        direction = _direction(learned[0], learned[1])
        for side, part in zip(scores, parts, strict=True):
            side.append(part[fold::_FOLDS] @ direction)
    areas = [_area(here, there) for here, there in zip(scores[0], scores[1], strict=True)]
    area = float(np.mean(areas))
    rows, others = len(parts[0]), len(parts[1])
    spread = math.sqrt((rows + others + 1) / (12 * rows * others))
    return Distance(area, 0.5 * math.erfc((area - 0.5) / (spread * math.sqrt(2))))


def _direction(one: Floats, other: Floats) -> Floats:
    """Fisher's direction, in which two groups differ most for their spread."""
    centred = np.concatenate([one - one.mean(axis=0), other - other.mean(axis=0)])
    spread = centred.T @ centred / len(centred)
    spread += np.eye(len(spread)) * (_FIRM * float(np.trace(spread)) / len(spread) + 1e-12)
    direction: Floats = np.linalg.solve(spread, other.mean(axis=0) - one.mean(axis=0))
    return direction


def _area(one: Floats, other: Floats) -> float:
    """The chance that a score of the second group is above one of the first."""
    ordered = np.sort(one)
    below = np.searchsorted(ordered, other, side="left") + np.searchsorted(ordered, other, side="right")
    return float(below.mean() / 2 / len(one))


def _sample(rows: Floats, most: int) -> Floats:
    """Some of the rows, evenly spaced."""
    return rows if len(rows) <= most else rows[np.linspace(0, len(rows) - 1, most).astype(np.int64)]
