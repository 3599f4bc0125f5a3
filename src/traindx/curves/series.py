"""Series of a run that signs ask for, its learning rate, and trends that a few wild values do not decide."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

import numpy as np

from traindx.curves.facts import stated_number, stated_word
from traindx.curves.limits import FEW, LAST_QUARTER, TINY
from traindx.facts import LEARNING_RATE as CONFIGURED
from traindx.facts import MOMENTUM, OPTIMIZER
from traindx.finding import Evidence
from traindx.quantities import LEARNING_RATE, NEIGHBOR_AGREEMENT, TRAIN_LOSS
from traindx.run import Axis, Floats, Quantity, Run, Series, Split

SORTED = 0.3
"""Excess of neighbors with the same target, where 0 is random order and 1 is sorted;
bench/thresholds.md#order."""


def _is_of(part: str, wanted: str) -> bool:
    # Of several optimizers the name of each stands before the part.
    return part == wanted or (bool(wanted) and part.endswith(f" {wanted}"))


def looked(run: Run, quantity: Quantity, part: str = "") -> Series | None:
    """A quantity of the batches, of training or of a part; None where no finite value was recorded."""
    series = [curve.finite for curve in run.all(quantity) if not curve.layer and _is_of(curve.part, part)]
    longest = max(series, key=len, default=None)
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
    curves = [series for series in run.all(quantity) if not series.layer]
    if not curves:
        return run[quantity]
    undivided = [series for series in curves if not series.part]
    if undivided:
        return max(undivided, key=len)
    longest = max(curves, key=len)
    if not quantity.slug.endswith("_loss"):
        # Accuracies, rates and norms of several sets or groups do not add up.
        return longest
    alike = [s for s in curves if s.axis is longest.axis and np.array_equal(s.steps, longest.steps)]
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
    return max((float(series.steps[-1]) for series in run.all(TRAIN_LOSS) if len(series)), default=0.0)


MAD_TO_SIGMA = 1.4826
"""Median absolute deviation to standard deviation, for a normal distribution; bench/thresholds.md#noises."""
MEDIAN_PRICE = 1.25
"""Standard error of a median over that of a mean, for a normal distribution; bench/thresholds.md#noises."""
_TAU = (5, 9)
"""The variance of tau in random order is 2 (2 n + 5) / (9 n (n - 1)); bench/thresholds.md#steady."""


def running_median(values: Floats, window: int) -> Floats:
    """Each value replaced by the median of its neighborhood; the ends repeat."""
    window = min(window, len(values) - 1 + len(values) % 2)
    if window < FEW:
        return values
    padded = np.pad(values, window // 2, mode="edge")
    return np.asarray(np.median(np.lib.stride_tricks.sliding_window_view(padded, window), axis=1))


def running_mean(values: Floats, window: int) -> Floats:
    """Each value replaced by the mean of its neighborhood; the ends repeat."""
    padded = np.pad(values, window // 2, mode="edge")
    return np.asarray(np.lib.stride_tricks.sliding_window_view(padded, window).mean(axis=1))


def robust_sigma(residuals: Floats) -> float:
    """The standard deviation that half of the residuals suggest; blind to a few wild ones."""
    if not len(residuals):
        return 0.0
    middle = float(np.median(np.abs(residuals)))
    # Values that mostly repeat, such as rewards of zero, have no median deviation, but noise they have.
    return MAD_TO_SIGMA * middle if middle > 0 else float(np.std(residuals))


def kendall(values: Floats) -> float:
    """Kendall's tau of values with time: 1 where every later value is higher, 0 for no order."""
    pairs = len(values) * (len(values) - 1) / 2
    order = np.sign(values[None, :] - values[:, None])
    return float(np.triu(order).sum() / pairs) if pairs else 0.0


def rank_trend(values: Floats) -> float:
    """How clearly values rise with time: Kendall's tau over its standard deviation for random order."""
    count = len(values)
    if count < FEW:
        return 0.0
    return kendall(values) / float(np.sqrt(2 * (2 * count + _TAU[0]) / (_TAU[1] * count * (count - 1))))


@dataclass(frozen=True, eq=False)
class Rate:
    """The logged learning rate: its points, and where in the run each lies."""

    series: Series
    shares: Floats
    """0 the begin of the run, 1 its end."""

    @property
    def values(self) -> Floats:
        """The rate at each point."""
        return self.series.values

    @property
    def peak(self) -> float:
        """The highest rate."""
        return float(self.values.max())


def rate_of(run: Run) -> Rate | None:
    """The learning rate over the run; None if fewer than two finite points were logged."""
    if LEARNING_RATE not in run:
        return None
    series = whole_rate(run).finite
    if len(series) < 2 or float(series.values.max()) <= 0:
        return None
    return Rate(series, shares(run, series))


def whole_rate(run: Run) -> Series:
    """The rate of the whole optimizer, or of the parameter group with the highest peak."""
    series = [series for series in run.all(LEARNING_RATE) if not series.part] or list(run.all(LEARNING_RATE))
    return max(series, key=lambda series: float(np.max(series.finite.values, initial=-np.inf)))


_ADAPTIVE = (1e-4, 1e-2)
"""Ten times either way of the 0.001 that Adam comes with; bench/thresholds.md#usual-rates."""
_USUAL = {
    **dict.fromkeys(("adam", "adamw", "nadam", "radam", "adamax", "rmsprop", "lamb"), _ADAPTIVE),
    "adagrad": (2e-3, 0.2),
    "adadelta": (0.1, 5.0),
    "lion": (1e-5, 1e-3),
}
"""The lowest and highest rate of the recipes of an optimizer; bench/thresholds.md#usual-rates."""
_HEAVY, _PLAIN = (2e-3, 0.5), (5e-3, 1.0)
"""SGD with momentum, whose steps add up to ten times the rate, and without;
bench/thresholds.md#usual-rates."""


_ATTENTION = ("attention", "attn", "transformer", "self_attn", "qkv")


def has_attention(run: Run) -> bool:
    """Whether a layer is attention, by its name or its class."""
    return any(
        word in f"{parameter.name} {parameter.kind}".lower() for parameter in run.model for word in _ATTENTION
    )


def peak_and_usual(run: Run) -> tuple[float, float, float] | None:
    """The highest rate of a run, and the lowest and highest of recipes; None where one is not known."""
    rate, kind = rate_of(run), stated_word(run, OPTIMIZER)
    # A run that ended at its first step has one rate, which may be that of a warm-up.
    configured = stated_number(run, CONFIGURED) if LEARNING_RATE in run else None
    peak = configured if rate is None else rate.peak
    usual = (_HEAVY if (stated_number(run, MOMENTUM) or 0) >= 1 / 2 else _PLAIN) if kind == "sgd" else None
    usual = usual or _USUAL.get(kind)
    return (peak, *usual) if peak is not None and usual is not None and peak > 0 else None
