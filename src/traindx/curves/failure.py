"""What breaks a curve: sudden rises out of its own noise, and the moment a loss stops being a number."""

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from traindx.curves.curve import Curve
from traindx.curves.facts import location_of
from traindx.curves.limits import FEW, GRAIN, LATE, SMALL, TINY, TRIPLE
from traindx.curves.series import kendall, looked, seen_in, whole
from traindx.facts import LOADER_PLACE, NONFINITE_SOURCE
from traindx.finding import CANNOT_TELL, Answer, Evidence, Finding
from traindx.format import percentage, step
from traindx.quantities import GRADIENT_NORM, TRAIN_LOSS, VAL_LOSS
from traindx.run import Event, EventKind, Floats, Quantity, Rows, Run, Series

_BEFORE = 30
"""Values that what climbs is held against; bench/thresholds.md#climb."""
_SWINGS = 1.5
"""Swings of the values before that are a clear climb; bench/thresholds.md#climb."""
_RISE = 0.2
"""Share of the lowest value that a steady climb rises by; bench/thresholds.md#climb."""
_ORDERED = 0.6
"""Kendall's tau of a clear climb; bench/thresholds.md#climb."""
LASTING = 0.3
"""Share of bad values among the rest that makes a failure lasting; bench/thresholds.md#lasting."""


@dataclass(frozen=True, eq=False)
class Failure:
    """The first non-finite loss that lasts, with the finite values before it."""

    series: Series
    step: float
    before: Floats
    """The finite values of the loss before the failure."""
    before_steps: Floats
    gradients: Floats
    """The gradient norms before the failure, those that are finite; empty if none were logged."""


def failure(run: Run) -> Failure | None:
    """Where the loss stops being a number; None if it never does, or only for a moment."""
    for quantity in (TRAIN_LOSS, VAL_LOSS):
        series = whole(run, quantity) if quantity in run else None
        if series is None or series.first_bad_step is None:
            continue
        first = lasting_from(series)
        if first is None:
            continue
        step = float(series.steps[first])
        return Failure(
            series, step, series.values[:first], series.steps[:first], _gradients(run, series, step)
        )
    return None


def lasting_from(series: Series, share: float = LASTING) -> int | None:
    """The index from which a series is no number for good, or too often; None if it never is."""
    bad = ~np.isfinite(series.values)
    # From each point on: how much of the rest is bad.
    rest = np.cumsum(bad[::-1])[::-1] / np.arange(len(bad), 0, -1)
    begins = np.flatnonzero(bad & (rest >= share))
    return int(begins[0]) if len(begins) else None


_ABSURD = 1e15
"""A loss or a norm of a gradient that only an explosion reaches; bench/thresholds.md#climb."""


def climb(values: Floats) -> float:
    """How clearly the values rise before they end: 0 not at all, above 1 clearly.

    Either the last of them stand above the swing of those before, or they rose step by step by a good part.
    """
    if len(values) and abs(float(values[-1])) >= _ABSURD:
        return float("inf")
    recent = values[-min(5, max(1, len(values) // 3)) :]
    calm = values[: len(values) - len(recent)][-_BEFORE:]
    if len(calm) < 2:
        return 0.0
    middle = float(np.median(calm))
    swing = max(float(calm.max() - calm.min()), GRAIN * abs(middle), TINY)
    above = (float(recent.max()) - middle) / (_SWINGS * swing)
    return max(above, _steadily(values[-10:]))


def _steadily(values: Floats) -> float:
    """Kendall's tau of the values with time, where they rise by a fifth or more."""
    rise = float(values[-1] - values.min())
    if len(values) <= FEW or rise < _RISE * max(abs(float(values.min())), TINY):
        return 0.0
    return kendall(values) / _ORDERED


def _gradients(run: Run, loss: Series, step: float) -> Floats:
    if GRADIENT_NORM not in run:
        return np.empty(0)
    norms = whole(run, GRADIENT_NORM)
    if norms.axis is not loss.axis:
        return np.empty(0)
    before = norms.values[norms.steps <= step]
    return np.asarray(before[np.isfinite(before)])


POLES = frozenset(
    "log log2 log10 log1p div pow sqrt rsqrt reciprocal exp exp2 expm1 acos asin acosh atanh lgamma digamma"
    " logit erfinv xlogy std var norm cdist cumprod prod logsumexp".split()
)
"""Operations that leave the finite numbers at single points or beyond a bound."""
_BY_SIZE = frozenset("pow std var norm cdist cumprod prod logsumexp".split())
"""Those that also do so far from any such point, when what they get is huge already."""


def is_at_pole(event: Event, run: Run) -> bool:
    """Whether the operation itself made the value non-finite, not the size that a loss had grown to."""
    if event.operation in _BY_SIZE:
        fails = failure(run)
        return fails is None or max(climb(fails.before), climb(fails.gradients)) < 1
    return event.operation in POLES


def first_nonfinite(run: Run) -> Event | None:
    """The earliest event of a NaN or an infinity."""
    bad = [event for event in run.events if event.kind is EventKind.NONFINITE]
    return min(bad, key=lambda event: event.step if event.step is not None else 0.0, default=None)


def nonfinite_evidence(event: Event, run: Run, location: str) -> Evidence:
    """The event as evidence, with its layer, step and batch."""
    at = event.step or 0.0
    source = run.facts.get(NONFINITE_SOURCE, event.operation or "unknown")
    return Evidence(
        NONFINITE_SOURCE, (at, at), source, layer=event.layer, batch=event.batch, location=location
    )


def not_finite_in(run: Run, quantity: Quantity, source: str, called: str) -> Answer:
    """Whether data held NaN or infinity: as the origin of the first one, or in a batch that was looked at."""
    event = first_nonfinite(run)
    if event is not None and run.facts.get(NONFINITE_SOURCE) == source:
        return Finding(1.0, event.says, (nonfinite_evidence(event, run, location_of(run, LOADER_PLACE)),))
    shares = looked(run, quantity)
    if shares is None:
        return CANNOT_TELL
    bad = shares.values > 0
    if not bad.any():
        return None
    first, worst = float(shares.steps[bad][0]), float(shares.values.max())
    says = f"{called} contain NaN or infinity (first at step {step(first)}, up to"
    says += f" {percentage(worst)} of a batch)"
    return Finding(1.0, says, (seen_in(shares, worst, 0.0, (first, float(shares.steps[bad][-1]))),))


@dataclass(frozen=True)
class Spike:
    """One sudden rise: where it begins, peaks and ends, and how high it goes."""

    first: int
    peak: int
    last: int
    """Indices of points, not steps."""
    value: float
    """The value at the peak."""
    base: float
    """The level it rises from."""

    @property
    def height(self) -> float:
        """From the base to the peak."""
        return self.value - self.base


FEWEST_BLOCKS = 8
"""Blocks that a spike can stand out from; bench/thresholds.md#few-points."""
_TAILS = 3.0
"""Times the height that the highest point of an ordinary block has; bench/thresholds.md#recurring."""
_NOISES = 6.0
"""Noises of a point; bench/thresholds.md#recurring."""
_LEAST = 1e-3
"""Of the level: what is lower cannot be seen; bench/thresholds.md#spike-height."""
_SHARE = 0.1
"""Of all progress: what is lower is not worth the name; bench/thresholds.md#spike-height."""
_SPIKES: WeakKeyDictionary[Curve, tuple[Spike, ...]] = WeakKeyDictionary()


def spikes_of(curve: Curve) -> tuple[Spike, ...]:
    """Rises far above what single blocks reach, and of more than a small part of all progress."""
    if curve not in _SPIKES:
        _SPIKES[curve] = _spikes(curve)
    return _SPIKES[curve]


def outgrown(loss: Curve | None, last: float) -> bool:
    """Whether a run went on learning after its last spike, which came early: it is warned, not ill."""
    if loss is None or not len(loss):
        return False
    first, end = loss.all_steps
    before = loss.values[loss.steps < last]
    # Below nine in ten of all that it had reached until then.
    is_early = last <= first + LATE * (end - first) and len(before) > 0
    return bool(is_early and loss.end < float(np.quantile(before, SMALL)))


def _spikes(curve: Curve) -> tuple[Spike, ...]:
    if curve.blocks < FEWEST_BLOCKS:
        return ()
    base = _base(curve)
    offset = len(curve.values) - curve.blocks * curve.width
    above = curve.values - np.concatenate([np.full(offset, base[0]), np.repeat(base, curve.width)])
    # The run's own tail: how far the highest point of an ordinary block lies above its level.
    ordinary = float(np.median(np.maximum(curve.high - curve.level, 0)))
    limit = max(_TAILS * ordinary, _NOISES * curve.noise, _SHARE * curve.progress, _LEAST * curve.size)
    out = np.flatnonzero(above > limit)
    # The first point has no past to stand out from.
    out = out[out > 0]
    if not len(out):
        return ()
    groups = np.split(out, _breaks(out, above, limit))
    spikes = []
    for group in groups:
        peak = int(group[curve.values[group].argmax()])
        level = float(curve.values[peak] - above[peak])
        spikes.append(Spike(int(group[0]), peak, int(group[-1]), float(curve.values[peak]), level))
    return tuple(spikes)


def _breaks(out: Rows, above: Floats, limit: float) -> Rows:
    """Where one spike ends and the next begins: the curve has come back to its level in between."""
    settled = np.concatenate([[0], np.cumsum(above < limit / TRIPLE)])
    return np.asarray(np.flatnonzero(settled[out[1:]] - settled[out[:-1]] > 1) + 1)


def _base(curve: Curve) -> Floats:
    """The level around each block that a value must rise from: the higher of its own and the one before."""
    before = np.concatenate([[max(curve.start, curve.trend[0])], curve.trend[:-1]])
    return np.asarray(np.maximum(curve.trend, before))
