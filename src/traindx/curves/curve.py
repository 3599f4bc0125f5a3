"""A series as signs see it: its level, trend and noise, in never more than 134 blocks.

Every curve is turned so that lower is better. A long series is cut into blocks of equal length; a block's
level is its median, so that a single wild step decides nothing, and its highest value is kept, so that none
is lost. The noise of a curve is measured on the curve itself: how far points lie from its own trend.
"""

from dataclasses import dataclass
from functools import cached_property
from weakref import WeakKeyDictionary

import numpy as np

from traindx.curves.limits import CLEAR, END, FEW, GRAIN, SHORT, TINY
from traindx.curves.series import MAD_TO_SIGMA, MEDIAN_PRICE, robust_sigma, running_mean, running_median
from traindx.finding import Evidence
from traindx.format import count, number, pair, step
from traindx.run import Axis, Better, Floats, Quantity, Series

_SINGLE = 60
"""Points up to which each is a block, and blocks of a longer series; bench/thresholds.md#blocks."""
_LONG = 1000
"""Points from which on a series has more blocks; bench/thresholds.md#blocks."""
_LARGEST = 1e150
"""What larger values count as: no number format of a network reaches it, and their squares would overflow;
bench/thresholds.md#resolution."""
_BLOCKS = 120
"""Blocks of a long series; bench/thresholds.md#blocks."""
_CALM = 9
"""Blocks whose spreads are smoothed together; bench/thresholds.md#blocks."""
_LEAP = 4.0
"""Noises by which a curve leaves its first point at once; bench/thresholds.md#noises."""
_CLEAR = 10.0
"""Times its noise: what a curve without a floor must move by to have moved far, if it moves no further;
bench/thresholds.md#level."""
_LEFT_BY_TREND = 0.7
"""The share of white noise that remains around its own trend; bench/thresholds.md#noises."""


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
        """A turned value as people read it; values beyond the largest are only known to be beyond."""
        shown = self.shown(value)
        if is_beyond(shown):
            return f"{number(shown)} or {'more' if shown > 0 else 'less'}"
        return number(shown)

    def texts(self, one: float, other: float) -> tuple[str, str]:
        """Two turned values that a sentence compares, with digits enough to see the difference."""
        if is_beyond(one) or is_beyond(other):
            return self.text(one), self.text(other)
        return pair(self.shown(one), self.shown(other))

    def evidence(self, steps: tuple[float, float], value: float, limit: float | None = None) -> Evidence:
        """A turned value of this curve as evidence."""
        held = None if limit is None else self.shown(limit)
        return Evidence(self.quantity, steps, self.shown(value), held, self.axis, self.part)

    @property
    def called(self) -> str:
        """What people call it: "training loss"."""
        return self.quantity.called

    @property
    def improved(self) -> str:
        """The verb for getting better: a loss fell, an accuracy rose."""
        return "rose" if self.quantity.better is Better.HIGHER else "fell"

    def place(self, position: float) -> str:
        """A position in words: "step 1,200"."""
        return f"{self.axis.value} {step(position)}"

    def stretch(self, first: float, last: float) -> str:
        """A range of positions in words: "steps 4-352"."""
        return self.place(first) if first == last else f"{self.axis.value}s {step(first)}-{step(last)}"

    @property
    def length(self) -> str:
        """How much of the run the points cover: "750 steps"."""
        spacing = float(np.median(np.diff(self.steps))) if len(self) > 1 else 1.0
        return count(round(float(self.steps[-1] - self.steps[0]) + spacing), self.axis.value)

    @cached_property
    def unrest(self) -> Floats:
        """How far each level lies from the trend, made up for what the trend follows of the noise."""
        return (self.level - self.trend) / _LEFT_BY_TREND

    @cached_property
    def spread(self) -> Floats:
        """How far single points lie from the level, block by block, as a standard deviation."""
        if self.width >= SHORT:
            inner = self.values[len(self.values) - self.blocks * self.width :].reshape(
                self.blocks, self.width
            )
            raw = MAD_TO_SIGMA * np.median(np.abs(inner - self.level[:, None]), axis=1)
        else:
            raw = MAD_TO_SIGMA * np.abs(self.unrest) * np.sqrt(self.width)
        return running_median(raw, _CALM)

    @cached_property
    def noise(self) -> float:
        """How far a single point lies from the trend, as a standard deviation."""
        if self.width >= SHORT:
            return float(np.median(self.spread))
        return robust_sigma(self.unrest) * float(np.sqrt(self.width))

    @cached_property
    def level_noise(self) -> float:
        """How far a block's level lies from the trend, as a standard deviation."""
        white = MEDIAN_PRICE * self.noise / np.sqrt(self.width) if self.width >= SHORT else 0.0
        return max(robust_sigma(self.unrest), float(white))

    @cached_property
    def start(self) -> float:
        """Where the curve begins: the median of its first points, or the first if it leaps away."""
        first = float(self.values[0])
        median = float(np.median(self.values[: max(1, min(5, len(self.values) // 50))]))
        leaps = median - first > _LEAP * self.noise + CLEAR * abs(first)
        return first if leaps else median

    @property
    def lowest(self) -> tuple[float, float]:
        """The best single value and its position: what a person finds who looks it up in the log."""
        index = int(self.values.argmin())
        return float(self.values[index]), float(self.steps[index])

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
        grain = GRAIN * max(abs(self.start), abs(self.end), TINY)
        return max(MEDIAN_PRICE * self.noise_around(self.blocks - 1) / float(np.sqrt(self.tail)), grain)

    def noise_around(self, block: int) -> float:
        """How far levels lie from the trend around a block; of the whole run where it is short."""
        if self.blocks < _SINGLE:
            return self.level_noise
        # A third of the run: the noise of a loss shrinks with it, by orders of magnitude in some runs.
        first = min(max(block - self.blocks // 6, 0), self.blocks - self.blocks // 3)
        near = slice(first, first + self.blocks // 3)
        white = MEDIAN_PRICE * float(np.median(self.spread[near])) / np.sqrt(self.width)
        return max(robust_sigma(self.unrest[near]), float(white) if self.width >= SHORT else 0.0)

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
            return max(abs(self.start), abs(self.best), TINY)
        reach = max(self.start, float(self.trend.max())) - min(self.start, self.best)
        return max(reach, _CLEAR * self.noise, TINY)

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
        return (float(self.at[block]) - first) / max(last - first, TINY)

    def span(self, first: int, last: int) -> tuple[float, float]:
        """The steps from one block to another."""
        steps, offset = self.steps, len(self.values) - self.blocks * self.width
        begin = 0 if first <= 0 else offset + first * self.width
        end = min(offset + (last + 1) * self.width, len(steps)) - 1
        return float(steps[begin]), float(steps[max(end, begin)])

    def since(self, share: float) -> tuple[float, float]:
        """The steps from a share of the run to its end."""
        return self.span(self.block_at(share), self.blocks - 1)

    @property
    def end_steps(self) -> tuple[float, float]:
        """The steps of the end of the run."""
        return self.since(END)

    @property
    def all_steps(self) -> tuple[float, float]:
        """From the first step to the last."""
        return float(self.steps[0]), float(self.steps[-1])


def is_beyond(value: float) -> bool:
    """Whether a value of a curve stands for all those that are too large to be told apart."""
    return abs(value) >= _LARGEST


_CURVES: WeakKeyDictionary[Series, Curve] = WeakKeyDictionary()


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
    width = 1 if count <= _SINGLE else max(1, count // (_SINGLE if count < _LONG else _BLOCKS))
    blocks = count // width
    # What does not fill a block is left out at the begin: the first points are read one by one anyway.
    inner = values[count - blocks * width :].reshape(blocks, width)
    level = np.median(inner, axis=1) if width > 1 else inner[:, 0]
    middles = finite.steps[count - blocks * width :].reshape(blocks, width)[:, width // 2]
    trend = running_mean(running_median(level, SHORT), FEW) if blocks >= SHORT else level
    high = inner.max(axis=1, initial=-np.inf)
    return Curve(
        series.quantity, series.axis, series.part, finite.steps, values, width, middles, level, high, trend
    )
