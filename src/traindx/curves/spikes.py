"""Sudden rises of a curve that stand out from its own noise."""

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from traindx.curves.curve import Curve
from traindx.curves.limits import TRIPLE
from traindx.run import Floats, Rows


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
