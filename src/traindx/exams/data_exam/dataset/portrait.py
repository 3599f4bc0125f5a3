"""The numbers of the data that a picture shows."""

import numpy as np

from traindx.exams.data_exam.dataset.columns import measured
from traindx.exams.data_exam.dataset.data import Data, Kind, Part, Task
from traindx.exams.data_exam.dataset.distances import distance
from traindx.exams.data_exam.dataset.look import Look
from traindx.exams.data_exam.types import ClassShare, FeatureRange, Portrait
from traindx.run import Floats

_FEATURES = 24
_CLASSES = 30
_PLACES = 2000
_SHOWN = (0, 2, 3, 4, 6)
"""Of the quantiles that are measured: 5, 25, 50, 75 and 95 %."""


def portrayed(look: Look) -> Portrait:
    """Class shares, ranges of the features that say most, targets, and the order of rows."""
    data = look.data
    numeric = data.task is Task.NUMBERS
    return Portrait(
        classes=_classes(data),
        features=() if data.kind is Kind.TOKENS else _features(look),
        feature_count=int(look.judged.sum()),
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


def _features(look: Look) -> tuple[FeatureRange, ...]:
    data = look.data
    held = None if data.validation is None else data.channels(data.validation)
    other = None if held is None else measured(held)
    made = []
    for place in np.flatnonzero(look.judged):
        column = look.channels[:, place]
        drift = None if held is None else distance(column, held[:, place]).area
        made.append(
            FeatureRange(
                name=look.names[place],
                training=_range(column, look.usual.quantiles[:, place]),
                validation=()
                if other is None or held is None
                else _range(held[:, place], other.quantiles[:, place]),
                missing=float(np.mean(~np.isfinite(column))),
                drift=drift,
            )
        )
    if len(made) <= _FEATURES:
        return tuple(made)

    # What is missing, drifts or is large stands first; the rest is counted.
    def weight(one: FeatureRange) -> tuple[float, float]:
        size = max(abs(one.training[0]), abs(one.training[-1])) if one.training else 0.0
        return (10 * one.missing + (one.drift or 0.0), size)

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
    if part.labels is None or not data.has_order:
        return ()
    places = np.unique(np.linspace(0, part.looked - 1, min(part.looked, _PLACES)).astype(np.int64))
    return tuple((float(place / max(part.looked - 1, 1)), int(part.labels[place])) for place in places)
