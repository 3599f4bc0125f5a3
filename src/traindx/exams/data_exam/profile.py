"""What several checks need of the data, worked out once, and the numbers that a picture of it shows."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from traindx.exams.data_exam.data import Data, Kind, Part, Task
from traindx.exams.data_exam.measures import Columns, Space, distance, measured, spaced
from traindx.exams.data_exam.types import ClassShare, FeatureRange, Portrait
from traindx.finding import Row
from traindx.format import listed, printable
from traindx.run import Floats

_SAMPLE = 2000
_MOST_COLUMNS = 256


@dataclass(frozen=True, eq=False)
class DataProfile:
    """The data, and measures of it."""

    data: Data

    @cached_property
    def channels(self) -> Floats:
        """Values of the training part by column or channel."""
        return self.data.channels(self.data.training)

    @cached_property
    def usual(self) -> Columns:
        """What is usual in each column or channel of the training part."""
        return measured(self.channels)

    @cached_property
    def space(self) -> Space:
        """The rows as points."""
        return spaced(self.data)

    @cached_property
    def keys(self) -> tuple[NDArray[np.uint64], ...]:
        """A number for every row of every part that equal rows share, and others by no chance."""
        return tuple(_keys(part) for part in self.data.parts)

    @cached_property
    def tells_rows_apart(self) -> bool:
        """Whether two rows that agree in everything are the same thing, and not equal by chance.

        Each column gives as many bits as the chance that two of its values agree is small; twice the bits of
        the number of rows, and ten to spare, leave less than one pair in a thousand data sets to chance.
        """
        matrix = self.data.training.matrix
        sample = matrix[:: max(1, len(matrix) // _SAMPLE)]
        step = max(1, int(sample.shape[1]) // _MOST_COLUMNS)
        bits: float = 0.0
        for column in sample[:, ::step].T:
            _, counts = np.unique(column, return_counts=True)
            bits -= math.log2(float(np.sum((counts / len(column)) ** 2)))
        rows = sum(part.total for part in self.data.parts)
        enough = 2 * math.log2(max(rows, 2)) + 10
        return bits * step >= enough

    @cached_property
    def telling(self) -> tuple[NDArray[np.bool_], ...]:
        """Which rows of every part hold more than one value; blank ones are alike and tell nothing."""
        matrices = [part.matrix for part in self.data.parts]
        return tuple(np.asarray((matrix != matrix[:, :1]).any(axis=1)) for matrix in matrices)

    @property
    def names(self) -> tuple[str, ...]:
        """What the columns of `channels` are called."""
        return self.data.channel_names

    @property
    def judged(self) -> NDArray[np.bool_]:
        """Which columns of `channels` have a size that means something."""
        if self.data.kind is Kind.TABLE:
            return self.data.numbers
        return np.ones(len(self.names), dtype=bool)


def _keys(part: Part) -> NDArray[np.uint64]:
    matrix = part.matrix
    factors = np.random.default_rng(7).integers(1, 1 << 63, matrix.shape[1], dtype=np.uint64) | np.uint64(1)
    keys = np.empty(len(matrix), dtype=np.uint64)
    for start in range(0, len(matrix), 1024):
        # Plus zero makes one zero of two; 64 bits of a number hold whatever was given.
        block = matrix[start : start + 1024].astype(np.float64) + 0.0
        bits = block.view(np.uint64)
        # Round numbers end in zero bits, and so would their products.
        mixed = (bits ^ (bits >> np.uint64(29))) * factors
        keys[start : start + len(block)] = (mixed ^ (mixed >> np.uint64(32))).sum(axis=1, dtype=np.uint64)
    return keys


MOST_ROWS = 10_000
"""Rows that a finding lists; how many there are stands in its sentence."""


def rows_at(part: Part, places: "NDArray[np.int64] | Iterable[int]", reason: str) -> tuple[Row, ...]:
    """Rows by their places, as many as are listed."""
    return tuple(part.row(int(index), reason) for index in list(places)[:MOST_ROWS])


def named(names: Iterable[str], most: int = 4) -> str:
    """The first names of columns and how many follow."""
    return listed([printable(name, 32) for name in names], most)


_FEATURES = 24
_CLASSES = 30
_PLACES = 2000
_SHOWN = (0, 2, 3, 4, 6)
"""Of the quantiles that are measured: 5, 25, 50, 75 and 95%."""


def portrayed(profile: DataProfile) -> Portrait:
    """Class shares, ranges of the features that say most, targets, and the order of rows."""
    data = profile.data
    numeric = data.task is Task.NUMBERS
    return Portrait(
        classes=_classes(data),
        features=() if data.kind is Kind.TOKENS else _features(profile),
        feature_count=int(profile.judged.sum()),
        targets=tuple(_numbers(part) for part in data.parts if numeric and part.given is not None),
        order=_order(data),
    )


def _classes(data: Data) -> tuple[ClassShare, ...]:
    if data.task is not Task.CLASSES:
        return ()
    counts = [
        np.bincount(part.labels[part.labels >= 0], minlength=len(data.classes))
        if part is not None and part.labels is not None
        else np.zeros(len(data.classes), dtype=np.int64)
        for part in (data.training, data.validation)
    ]
    chosen = list(range(len(data.classes)))
    if len(data.classes) > _CLASSES:
        # The commonest and the rarest, half of the room each.
        order = np.argsort(-counts[0], kind="stable")
        chosen = [*order[: _CLASSES // 2].tolist(), *order[-_CLASSES // 2 :].tolist()]
    return tuple(ClassShare(data.classes[at], int(counts[0][at]), int(counts[1][at])) for at in chosen)


def _features(profile: DataProfile) -> tuple[FeatureRange, ...]:
    data = profile.data
    held = None if data.validation is None else data.channels(data.validation)
    other = None if held is None else measured(held)
    made = []
    for index in np.flatnonzero(profile.judged):
        column = profile.channels[:, index]
        drift = None if held is None else distance(column, held[:, index]).area
        made.append(
            FeatureRange(
                name=profile.names[index],
                training=_range(column, profile.usual.quantiles[:, index]),
                validation=()
                if other is None or held is None
                else _range(held[:, index], other.quantiles[:, index]),
                missing=float(np.mean(~np.isfinite(column))),
                drift=drift,
            )
        )
    if len(made) <= _FEATURES:
        return tuple(made)

    # What is missing, drifts or is large stands first; the rest is counted.
    def weight(feature: FeatureRange) -> tuple[float, float]:
        size = max(abs(feature.training[0]), abs(feature.training[-1])) if feature.training else 0.0
        return (10 * feature.missing + (feature.drift or 0.0), size)

    return tuple(sorted(made, key=weight, reverse=True)[:_FEATURES])


def _range(column: Floats, quantiles: Floats) -> tuple[float, ...]:
    finite = column[np.isfinite(column)]
    if not len(finite):
        return ()
    return (float(finite.min()), *(float(quantiles[at]) for at in _SHOWN), float(finite.max()))


def _numbers(part: Part) -> Floats:
    assert part.given is not None
    values = part.given.reshape(-1).astype(np.float64)
    return values[np.isfinite(values)]


def _order(data: Data) -> tuple[tuple[float, int], ...]:
    part = data.training
    if part.labels is None or not data.source.has_order:
        return ()
    places = np.unique(np.linspace(0, part.looked - 1, min(part.looked, _PLACES)).astype(np.int64))
    return tuple((float(index / max(part.looked - 1, 1)), int(part.labels[index])) for index in places)
