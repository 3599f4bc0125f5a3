"""The series of a run that signs ask for, and their values as evidence."""

import math
from collections.abc import Iterator
from dataclasses import replace
from weakref import WeakKeyDictionary

import numpy as np

from traindx.curves.limits import LAST_QUARTER, TINY
from traindx.finding import Evidence
from traindx.quantities import NEIGHBOR_AGREEMENT, TRAIN_LOSS
from traindx.run import Axis, Floats, Quantity, Run, Series, Split

SORTED = 0.3
"""Excess of neighbors with the same target, where 0 is random order and 1 is sorted;
bench/thresholds.md#order."""


def _is_of(part: str, wanted: str) -> bool:
    # Of several optimizers the name of each stands before the part.
    return part == wanted or (bool(wanted) and part.endswith(f" {wanted}"))


def looked(run: Run, quantity: Quantity, part: str = "") -> Series | None:
    """A quantity of the batches, of training or of a part; None where no finite value was recorded."""
    found = [one.finite for one in run.all(quantity) if not one.layer and _is_of(one.part, part)]
    longest = max(found, key=len, default=None)
    return longest if longest is not None and len(longest) else None


def neighbors_agree(run: Run, looks: int = 4) -> float | None:
    """How much more often than in random order neighbors share their target; None for few looks."""
    order = looked(run, NEIGHBOR_AGREEMENT)
    # The first batch of sorted data cannot tell: it knows no other class yet.
    return float(np.median(order.values[1:])) if order is not None and len(order) >= looks else None


def comes_sorted(run: Run) -> bool:
    """Whether rows come sorted, so that a look at some batches knows a few of the classes only."""
    return (neighbors_agree(run) or 0.0) >= SORTED


_WHOLES: WeakKeyDictionary[Run, dict[Quantity, Series]] = WeakKeyDictionary()


def _whole(run: Run, quantity: Quantity) -> Series:
    found = [series for series in run.all(quantity) if not series.layer]
    if not found:
        return run[quantity]
    undivided = [series for series in found if not series.part]
    if undivided:
        return max(undivided, key=len)
    longest = max(found, key=len)
    if not quantity.slug.endswith("_loss"):
        # Accuracies, rates and norms of several sets or groups do not add up.
        return longest
    alike = [s for s in found if s.axis is longest.axis and np.array_equal(s.steps, longest.steps)]
    if len(alike) < 2:
        return longest
    # Terms of a loss add up; evaluation sets, of which training knows nothing, are averaged.
    trained = {series.part for series in run.series if series.quantity.split is Split.TRAIN}
    terms = quantity.split is Split.TRAIN or any(series.part in trained for series in alike)
    values = np.sum([series.values for series in alike], axis=0) / (1 if terms else len(alike))
    name = (" + " if terms else ", ").join(series.name for series in alike)
    return Series(quantity, longest.steps.copy(), values, longest.axis, name=name)


def whole(run: Run, quantity: Quantity) -> Series:
    """The series of a quantity, or what its parts make together where only they were logged."""
    wholes = _WHOLES.setdefault(run, {})
    if quantity not in wholes:
        wholes[quantity] = _whole(run, quantity)
    return wholes[quantity]


_DENSE = 60
"""Points from which on a series is thinned where it is denser, down to about as many;
bench/thresholds.md#blocks."""
_UNEVEN = 2.0
"""Times the median gap: the gaps that cover most of the steps, in a series that is denser in places;
bench/thresholds.md#blocks."""
_MOST = 2 / 3
"""Share of the steps that is most of them; bench/thresholds.md#blocks."""


def evenly(series: Series) -> Series:
    """A series as dense everywhere as over most of its steps, so that half of its points is half of the run.

    Recordings are denser at first, and so are some logs.
    """
    if len(series) <= _DENSE:
        return series
    gaps = np.sort(np.diff(series.steps))
    covered = np.cumsum(gaps)
    usual = float(gaps[np.searchsorted(covered, _MOST * covered[-1])])
    if usual < _UNEVEN * float(np.median(gaps)):
        return series
    gap = min(usual, float(covered[-1]) / _DENSE)
    _, first = np.unique((series.steps - series.steps[0]) // gap, return_index=True)
    return replace(series, steps=series.steps[first], values=series.values[first])


def shares(run: Run, series: Series) -> Floats:
    """Where the points of a series lie in the run, 0 its begin and 1 its end, on any axis."""
    alike = [other for other in run.series if other.axis is series.axis and len(other)]
    first = min((float(other.steps[0]) for other in alike), default=0.0)
    last = max((float(other.steps[-1]) for other in alike), default=1.0)
    if series.axis is Axis.EPOCH or series.axis is Axis.RECORD:
        # An epoch's figures are written when it ends, so the first one covers the begin of the run.
        first -= (last - first) / max(len(series) - 1, 1)
    return np.asarray((series.steps - first) / max(last - first, TINY))


def reaches_end(run: Run, series: Series) -> bool:
    """Whether a series goes on into the last quarter of the run, so that its end tells about the run's."""
    return bool(len(series)) and float(shares(run, series)[-1]) >= LAST_QUARTER


def span(series: Series) -> tuple[float, float]:
    """From the first step of a series to its last."""
    return float(series.steps[0]), float(series.steps[-1])


def seen_in(
    series: Series, value: float, limit: float | None = None, steps: tuple[float, float] | None = None
) -> Evidence:
    """A value of a series as evidence."""
    where = steps or span(series)
    return Evidence(series.quantity, where, value, limit, series.axis, series.part, series.layer)


def by_layer(run: Run, quantity: Quantity) -> Iterator[Series]:
    """The finite series of each layer, in the order of the forward pass."""
    for series in run.all(quantity):
        if series.layer and len(series.finite):
            yield series.finite


def last_part(values: Floats, share: float = 1 / 3) -> Floats:
    """The last values, at least one."""
    return values[-max(1, math.ceil(share * len(values))) :]


def steps_taken(run: Run) -> float:
    """The last recorded step."""
    return max((float(one.steps[-1]) for one in run.all(TRAIN_LOSS) if len(one)), default=0.0)
