"""A series as signs see it: its level, trend and noise, in never more than 134 blocks.

Every curve is turned so that lower is better. A long series is cut into blocks of equal length; a block's
level is its median, so that a single wild step decides nothing, and its highest value is kept, so that none
is lost. The noise of a curve is measured on the curve itself: how far points lie from its own trend.
"""

from dataclasses import dataclass
from functools import cached_property
from weakref import WeakKeyDictionary

import numpy as np

from traindx.curves.robust import MAD_TO_SIGMA, robust_sigma, running_mean, running_median
from traindx.finding import Evidence
from traindx.format import number, step
from traindx.run import Axis, Better, Floats, Quantity, Run, Series, Split

_SINGLE = 60
_LARGEST = 1e150
"""What larger values count as: no number format of a network reaches it, and their squares would overflow."""
_BLOCKS = 120
MEDIAN_PRICE = 1.25
"""Standard error of a median over that of a mean, for a normal distribution."""
_CLEAR = 10.0
"""Times its noise: what a curve without a floor must move by to have moved far, if it moves no further."""
_LAST_QUARTER = 0.75
_LEFT_BY_TREND = 0.7
"""The share of white noise that remains around its own trend: measured, 0.64 (12 levels) to 0.71 (120)."""


@dataclass(frozen=True, eq=False)
class Curve:
    """Blocks of a series, turned so that lower is better, with trend and noise."""

    quantity: Quantity
    axis: Axis
    part: str
    steps: Floats
    """The steps of the finite points."""
    values: Floats
    """The finite points, turned."""
    width: int
    """Points in a block."""
    at: Floats
    """The step in the middle of each block."""
    level: Floats
    """The median of each block."""
    high: Floats
    """The worst value of each block."""
    trend: Floats
    """The levels, smoothed over about five blocks."""

    def __len__(self) -> int:
        """Count the points."""
        return len(self.values)

    @property
    def blocks(self) -> int:
        """Count the blocks."""
        return len(self.level)

    def shown(self, value: float) -> float:
        """A turned value as the log has it."""
        return -value if self.quantity.better is Better.HIGHER else value

    def text(self, value: float) -> str:
        """A turned value as people read it; what is not told apart is not told as a number."""
        shown = self.shown(value)
        if is_beyond(shown):
            return f"{number(shown)} or {'more' if shown > 0 else 'less'}"
        return number(shown)

    def evidence(self, steps: tuple[float, float], value: float, limit: float | None = None) -> Evidence:
        """A turned value of this curve as evidence."""
        held = None if limit is None else self.shown(limit)
        return Evidence(self.quantity, steps, self.shown(value), held, self.axis, self.part)

    @property
    def called(self) -> str:
        """What people call it: "training loss"."""
        return self.quantity.called

    def place(self, position: float) -> str:
        """A position in words: "step 1,200"."""
        return f"{self.axis.value} {step(position)}"

    @cached_property
    def unrest(self) -> Floats:
        """How far each level lies from the trend, made up for what the trend follows of the noise."""
        return (self.level - self.trend) / _LEFT_BY_TREND

    @cached_property
    def spread(self) -> Floats:
        """How far single points lie from the level, block by block, as a standard deviation."""
        if self.width >= 5:
            inner = self.values[len(self.values) - self.blocks * self.width :].reshape(
                self.blocks, self.width
            )
            raw = MAD_TO_SIGMA * np.median(np.abs(inner - self.level[:, None]), axis=1)
        else:
            raw = MAD_TO_SIGMA * np.abs(self.unrest) * np.sqrt(self.width)
        return running_median(raw, 9)

    @cached_property
    def noise(self) -> float:
        """How far a single point lies from the trend, as a standard deviation."""
        if self.width >= 5:
            return float(np.median(self.spread))
        return robust_sigma(self.unrest) * float(np.sqrt(self.width))

    @cached_property
    def level_noise(self) -> float:
        """How far a block's level lies from the trend, as a standard deviation."""
        white = MEDIAN_PRICE * self.noise / np.sqrt(self.width) if self.width >= 5 else 0.0
        return max(robust_sigma(self.unrest), float(white))

    @cached_property
    def start(self) -> float:
        """Where the curve begins: the median of its first points, or the first if it leaps away."""
        first = float(self.values[0])
        median = float(np.median(self.values[: max(1, min(5, len(self.values) // 50))]))
        leaps = median - first > 4 * self.noise + 0.1 * abs(first)
        return first if leaps else median

    @property
    def lowest(self) -> tuple[float, float]:
        """The best single value and its position: what a person finds who looks it up in the log."""
        place = int(self.values.argmin())
        return float(self.values[place]), float(self.steps[place])

    @cached_property
    def tail(self) -> int:
        """How many blocks the end is measured on: a tenth, at least two."""
        return min(self.blocks, max(2, self.blocks // 10))

    @cached_property
    def end(self) -> float:
        """Where the curve ends: the median level of its last blocks."""
        return float(np.median(self.level[-self.tail :]))

    @cached_property
    def end_noise(self) -> float:
        """The standard error of the end, never below what the number format resolves."""
        grain = 1e-6 * max(abs(self.start), abs(self.end), 1e-300)
        return max(MEDIAN_PRICE * self.noise_around(self.blocks - 1) / float(np.sqrt(self.tail)), grain)

    def noise_around(self, block: int) -> float:
        """How far levels lie from the trend around a block; of the whole run where it is short."""
        if self.blocks < _SINGLE:
            return self.level_noise
        # A third of the run: the noise of a loss shrinks with it, by orders of magnitude in some runs.
        first = min(max(block - self.blocks // 6, 0), self.blocks - self.blocks // 3)
        near = slice(first, first + self.blocks // 3)
        white = MEDIAN_PRICE * float(np.median(self.spread[near])) / np.sqrt(self.width)
        return max(robust_sigma(self.unrest[near]), float(white) if self.width >= 5 else 0.0)

    @cached_property
    def best_block(self) -> int:
        """The block where the trend is lowest."""
        return int(self.trend.argmin())

    @property
    def best(self) -> float:
        """The lowest value of the trend."""
        return float(self.trend[self.best_block])

    @property
    def progress(self) -> float:
        """From the start down to the best of the trend; not negative."""
        return max(self.start - self.best, 0.0)

    @cached_property
    def floorless(self) -> bool:
        """Whether the values go below zero, as a likelihood's do: then zero is no floor, and no measure."""
        levels = self.shown(1) * np.array([self.start, self.best, float(self.trend.max())])
        return bool(levels.min() < 0)

    @cached_property
    def size(self) -> float:
        """How large the values are, to compare changes with: from zero, or their range where they pass it."""
        if not self.floorless:
            return max(abs(self.start), abs(self.best), 1e-300)
        reach = max(self.start, float(self.trend.max())) - min(self.start, self.best)
        return max(reach, _CLEAR * self.noise, 1e-300)

    def level_at(self, share: float) -> float:
        """The median level around a share of the run, 0 its begin and 1 its end."""
        middle = self.block_at(share)
        half = self.tail // 2
        return float(np.median(self.level[max(0, middle - half) : middle + half + 1]))

    def block_at(self, share: float) -> int:
        """The block at a share of the run's steps: some logs are denser at first."""
        first, last = float(self.steps[0]), float(self.steps[-1])
        return min(int(np.searchsorted(self.at, first + share * (last - first))), self.blocks - 1)

    def share_of(self, block: int) -> float:
        """Where a block lies in the run, 0 its begin and 1 its end."""
        first, last = float(self.steps[0]), float(self.steps[-1])
        return (float(self.at[block]) - first) / max(last - first, 1e-300)

    def span(self, first: int, last: int) -> tuple[float, float]:
        """The steps from one block to another."""
        steps, offset = self.steps, len(self.values) - self.blocks * self.width
        begin = 0 if first <= 0 else offset + first * self.width
        end = min(offset + (last + 1) * self.width, len(steps)) - 1
        return float(steps[begin]), float(steps[max(end, begin)])

    def since(self, share: float) -> tuple[float, float]:
        """The steps from a share of the run to its end."""
        return self.span(self.block_at(share), self.blocks - 1)


def is_beyond(value: float) -> bool:
    """Whether a value of a curve stands for all those that are too large to be told apart."""
    return abs(value) >= _LARGEST


_CURVES: WeakKeyDictionary[Series, Curve] = WeakKeyDictionary()
_WHOLES: WeakKeyDictionary[Run, dict[Quantity, Series]] = WeakKeyDictionary()


def curve_of(series: Series) -> Curve:
    """The curve of a series; asked again, the same one."""
    if series not in _CURVES:
        _CURVES[series] = _curve(series)
    return _CURVES[series]


def _curve(series: Series) -> Curve:
    finite = series.finite
    bounded = np.clip(finite.values, -_LARGEST, _LARGEST)
    values = -bounded if series.quantity.better is Better.HIGHER else bounded
    count = len(values)
    width = 1 if count <= _SINGLE else max(1, count // (_SINGLE if count < 1000 else _BLOCKS))
    blocks = count // width
    # What does not fill a block is left out at the begin: the first points are read one by one anyway.
    inner = values[count - blocks * width :].reshape(blocks, width)
    level = np.median(inner, axis=1) if width > 1 else inner[:, 0]
    middles = finite.steps[count - blocks * width :].reshape(blocks, width)[:, width // 2]
    trend = running_mean(running_median(level, 5), 3) if blocks >= 5 else level
    high = inner.max(axis=1, initial=-np.inf)
    return Curve(
        series.quantity, series.axis, series.part, finite.steps, values, width, middles, level, high, trend
    )


def whole(run: Run, quantity: Quantity) -> Series:
    """The series of a quantity, or what its parts make together where only they were logged."""
    wholes = _WHOLES.setdefault(run, {})
    if quantity not in wholes:
        wholes[quantity] = _whole(run, quantity)
    return wholes[quantity]


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


def shares(run: Run, series: Series) -> Floats:
    """Where the points of a series lie in the run, 0 its begin and 1 its end, on any axis."""
    alike = [other for other in run.series if other.axis is series.axis and len(other)]
    first = min((float(other.steps[0]) for other in alike), default=0.0)
    last = max((float(other.steps[-1]) for other in alike), default=1.0)
    if series.axis is Axis.EPOCH or series.axis is Axis.RECORD:
        # An epoch's figures are written when it ends, so the first one covers the begin of the run.
        first -= (last - first) / max(len(series) - 1, 1)
    return np.asarray((series.steps - first) / max(last - first, 1e-300))


def reaches_end(run: Run, series: Series) -> bool:
    """Whether a series goes on into the last quarter of the run, so that its end tells about the run's."""
    return bool(len(series)) and float(shares(run, series)[-1]) >= _LAST_QUARTER
