"""What is usual in columns, how far rows are from each other, and how likely chance parts two samples."""

import math
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from traindx.exams.data_exam.data import Data, Kind
from traindx.run import Floats, Rows

FEWEST = 16
"""Values of a column below which its outer tenth cannot be told."""
_TAIL = 2.15
"""The outer tenth over the outer quarter of a uniform column is 1.6, of a normal one 1.9."""
_MOST_VALUES = 20_000
"""Values of a column from which its quantiles are taken."""
QUANTILES = (5, 10, 25, 50, 75, 90, 95)


@dataclass(frozen=True, eq=False)
class Columns:
    """What is usual in each column; NaN for a column without finite values."""

    median: Floats
    low: Floats
    high: Floats
    """Between these lies what continues the tail that the column shows; infinite where it has no scale."""
    mean: Floats
    std: Floats
    """Mean and standard deviation of what lies between."""
    quantiles: Floats
    """5, 10, 25, 50, 75, 90 and 95% by column."""
    varies: NDArray[np.bool_]
    """Whether two finite values differ."""


def measured(values: Floats) -> Columns:
    """The usual of rows by columns.

    Beyond `low` and `high` lies what is further from the median than `far` times the cube of `tail`, where
    `far` is the distance of the outer tenth and `tail` is `far` over the distance of the outer quarter: the
    rule of `traindx.recorder.probes.inputs`, by which a normal column has none within 12.7 deviations.
    """
    sample = values[:: max(1, len(values) // _MOST_VALUES)]
    with np.errstate(all="ignore"):
        finite = np.where(np.isfinite(sample), sample, np.nan)
        quantiles = _quantiles(finite)
        median = quantiles[3]
        low = median - _reach(median - quantiles[1], median - quantiles[2])
        high = median + _reach(quantiles[5] - median, quantiles[4] - median)
        mean, std = np.empty(values.shape[1]), np.empty(values.shape[1])
        varies = np.zeros(values.shape[1], dtype=bool)
        # Column by column: a copy of the whole table would double the memory.
        for index in range(values.shape[1]):
            column = values[:, index]
            column = column[np.isfinite(column)]
            usual = column[(column >= low[index]) & (column <= high[index])]
            mean[index] = usual.mean() if len(usual) else np.nan
            std[index] = usual.std() if len(usual) else np.nan
            varies[index] = len(column) > 0 and bool(column.min() < column.max())
    return Columns(median, low, high, mean, std, quantiles, varies)


def _quantiles(finite: Floats) -> Floats:
    if not np.isnan(finite).any():
        quantiles: Floats = np.percentile(finite, QUANTILES, axis=0)
        return quantiles
    columns = [column[~np.isnan(column)] for column in finite.T]
    of_columns = [
        np.percentile(column, QUANTILES) if len(column) else np.full(len(QUANTILES), np.nan)
        for column in columns
    ]
    return np.stack(of_columns, axis=1)


def _reach(far: Floats, near: Floats) -> Floats:
    tail = np.maximum(far / near, _TAIL)
    reach: Floats = np.where(near > 0, far * tail**3, np.inf)
    return reach


Points = NDArray[np.float32]

_WIDEST: Annotated[int, "coordinates of a point; more are turned into the directions of most spread"] = 128
_DIRECTIONS = 64
_BLOCK = 512
_CLIP = 5.0
"""Usual spreads at which a coordinate is cut off: one wild value must not decide what is near."""
_MOST_CATEGORIES = 12
_SAMPLE = 4000


@dataclass(frozen=True, eq=False)
class Space:
    """The rows of both parts as points."""

    training: Points
    validation: Points | None


def spaced(data: Data) -> Space:
    """Points in which every number column counts alike; images as they are, tokens not at all."""
    pieces = [part.matrix for part in data.parts]
    if data.kind in (Kind.IMAGES, Kind.SIGNALS):
        step = max(1, pieces[0].shape[1] // 1024)
        points = [piece[:, ::step].astype(np.float32) for piece in pieces]
        points = [np.nan_to_num(piece, posinf=0.0, neginf=0.0) for piece in points]
        center, size = points[0].mean(axis=0), float(points[0].std()) or 1.0
        points = [(piece - center) / size for piece in points]
    else:
        points = _coordinates(data, pieces)
    if points[0].shape[1] > _WIDEST:
        points = _turned(points)
    return Space(points[0], points[1] if len(points) > 1 else None)


def _coordinates(data: Data, pieces: list[NDArray[np.generic]]) -> list[Points]:
    numbers = [piece[:, data.numbers].astype(np.float64) for piece in pieces]
    usual = measured(numbers[0])
    size = np.where(usual.std > 0, usual.std, 1.0)
    out = []
    for piece, part in zip(numbers, pieces, strict=True):
        with np.errstate(all="ignore"):
            scaled = np.nan_to_num((piece - usual.mean) / size, nan=0.0, posinf=_CLIP, neginf=-_CLIP)
        coordinates = [np.clip(scaled, -_CLIP, _CLIP).astype(np.float32)]
        for column in np.flatnonzero(data.words):
            known, counts = np.unique(pieces[0][:, column], return_counts=True)
            common = known[np.argsort(-counts)[:_MOST_CATEGORIES]]
            coordinates.append((part[:, column, None] == common).astype(np.float32))
        out.append(np.concatenate(coordinates, axis=1))
    return out


def _turned(points: list[Points]) -> list[Points]:
    """Points on the directions of most spread."""
    # Of all parts: directions fitted to one of them would tell it from the other.
    rows = np.concatenate(points)
    sample = rows[:: max(1, len(rows) // _SAMPLE)].astype(np.float64)
    _, _, directions = np.linalg.svd(sample - sample.mean(axis=0), full_matrices=False)
    chosen = directions[:_DIRECTIONS].T.astype(np.float32)
    return [piece @ chosen for piece in points]


@dataclass(frozen=True, eq=False)
class Nearest:
    """The nearest rows of some rows, and how far the very nearest is."""

    places: Rows
    """Rows by neighbors, in no order."""
    nearest: Rows
    distance: Floats


def nearest(points: Points, among: Points, wanted: int, *, own: Rows | None = None) -> Nearest:
    """The nearest rows of `among`; `own` are the places at which the points themselves stand there."""
    squares = np.einsum("ij,ij->i", among, among)
    places, first = [], []
    for start in range(0, len(points), _BLOCK):
        block = points[start : start + _BLOCK]
        distances = squares[None, :] - 2 * (block @ among.T)
        if own is not None:
            distances[np.arange(len(block)), own[start : start + len(block)]] = np.inf
        wanted = min(wanted, distances.shape[1] - 1)
        if wanted <= 1:
            # Thirty times as fast as looking for several.
            closest = distances.argmin(axis=1)[:, None]
        else:
            closest = np.argpartition(distances, wanted, axis=1)[:, :wanted]
        best = np.take_along_axis(distances, closest, axis=1).argmin(axis=1)
        places.append(closest)
        first.append(closest[np.arange(len(block)), best])
    chosen = np.concatenate(first)
    # Again and exactly: a difference of large squares says little about small distances.
    apart = points.astype(np.float64) - among[chosen].astype(np.float64)
    return Nearest(np.concatenate(places), chosen, np.sqrt(np.einsum("ij,ij->i", apart, apart)))


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


def _direction(first: Floats, other: Floats) -> Floats:
    """Fisher's direction, in which two groups differ most for their spread."""
    centerd = np.concatenate([first - first.mean(axis=0), other - other.mean(axis=0)])
    spread = centerd.T @ centerd / len(centerd)
    spread += np.eye(len(spread)) * (_FIRM * float(np.trace(spread)) / len(spread) + 1e-12)
    direction: Floats = np.linalg.solve(spread, other.mean(axis=0) - first.mean(axis=0))
    return direction


def _area(first: Floats, other: Floats) -> float:
    """The chance that a score of the second group is above one of the first."""
    ordered = np.sort(first)
    below = np.searchsorted(ordered, other, side="left") + np.searchsorted(ordered, other, side="right")
    return float(below.mean() / 2 / len(first))


def _sample(rows: Floats, most: int) -> Floats:
    """Some of the rows, evenly spaced."""
    return rows if len(rows) <= most else rows[np.linspace(0, len(rows) - 1, most).astype(np.int64)]
