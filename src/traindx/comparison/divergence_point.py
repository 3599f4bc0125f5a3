"""Where two runs part: the first place from which their curves stay apart beyond the noise of both."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from traindx.comparison.hyperparameters import Hyperparameters
from traindx.comparison.measure import Measure
from traindx.comparison.noise import alike
from traindx.comparison.types import Parting
from traindx.curves.curve import Curve, curve_of
from traindx.curves.objective import is_adversarial, is_reinforcement
from traindx.curves.series import MEDIAN_PRICE, shares, whole
from traindx.facts import SEED
from traindx.format import count, number, pair, percentage, printable, step
from traindx.quantities import TRAIN_LOSS
from traindx.run import Axis, Floats, Run, Series

_MOST = 10
_DENSE = 20
_SIGMAS = 3.0
_SUSTAINED = 20
"""Runs have parted when they stay apart for one in so many of the blocks compared, three at least."""
_FEWEST = 3
_SEEDS_USED = 20
_HEAD_START = 0.15
"""A run with another seed may be so much earlier or later on the same way: steep curves do not part by it."""

Spread = Callable[[Floats], Floats]
"""How far runs that differ only in their seed lie apart, at given positions."""


@dataclass(frozen=True, eq=False)
class _Side:
    """One run's curve, laid on the positions both sides share."""

    run: Run
    series: Series
    curve: Curve
    positions: Floats
    """Where the points lie: their steps, or shares of the run where the two runs count differently."""
    at: Floats
    """The same for the blocks of the curve."""

    def level(self, grid: Floats) -> Floats:
        """The level at positions of the grid."""
        return np.asarray(np.interp(grid, self.at, self.curve.level))

    def shift(self, grid: Floats) -> Floats:
        """How far the trend moves within the head start that luck alone gives one of two runs."""
        begin = self.positions[0]
        here, *there = (
            np.interp(begin + (grid - begin) * (1 + late), self.at, self.curve.trend)
            for late in (0.0, -_HEAD_START, _HEAD_START)
        )
        return np.asarray(np.maximum(*(np.abs(moved - here) for moved in there)))

    def error(self, grid: Floats) -> Floats:
        """The standard error of the level at positions of the grid."""
        curve = self.curve
        white = MEDIAN_PRICE * curve.spread / np.sqrt(curve.width)
        grain = 1e-6 * max(abs(curve.start), abs(curve.end), 1e-300)
        return np.asarray(np.maximum(np.interp(grid, self.at, white), max(grain, _calm(curve))))


def _calm(curve: Curve) -> float:
    """How far levels lie from the trend in the calmer half of the run: the steep begin is no noise."""
    residuals = np.abs(curve.level - curve.trend)
    return MEDIAN_PRICE * float(np.median(residuals[len(residuals) // 2 :]))


def partings(
    runs: Sequence[Run], ranking: Sequence[int], measure: Measure, chosen: Hyperparameters
) -> tuple[Parting, ...]:
    """Where the best run parts from each of the next ones."""
    ranked = [run for run in ranking if measure.series[run] is not None][: _MOST + 1]
    points = []
    for other in ranked[1:]:
        pair = ranked[0], other
        series = _to_compare(runs, pair, measure)
        # The two are left out: by their own difference nothing could ever differ.
        others = [[run for run in group if run not in pair] for group in chosen.repeats()]
        repeats = [[_of(runs[run], measure, run, series[0]) for run in group] for group in others]
        points.append(_parting(runs[pair[0]], runs[pair[1]], *series, repeats))
    return tuple(points)


def _to_compare(runs: Sequence[Run], pair: tuple[int, int], measure: Measure) -> tuple[Series, Series]:
    """The training losses where both are logged densely, since they tell soonest; else the measure."""
    measured = [measure.series[run] for run in pair]
    first, second = (series for series in measured if series is not None)
    sides = [runs[run] for run in pair]
    if any(TRAIN_LOSS not in run or is_reinforcement(run) or is_adversarial(run) for run in sides):
        return first, second
    losses = [whole(run, TRAIN_LOSS) for run in sides]
    dense = all(len(loss) >= max(_DENSE, len(first)) for loss in losses)
    alike = losses[0].axis is losses[1].axis and losses[0].name == losses[1].name
    return (losses[0], losses[1]) if dense and alike else (first, second)


def _of(run: Run, measure: Measure, index: int, like: Series) -> Series | None:
    """The series of a run that is of the same kind as another."""
    if like is measure.series[index] or like.quantity == measure.quantity:
        return measure.series[index]
    return whole(run, like.quantity) if like.quantity in run else None


def _parting(
    first: Run, second: Run, series: Series, other: Series, repeats: Sequence[Sequence[Series | None]]
) -> Parting:
    by_share = series.axis is not other.axis or series.axis is Axis.RECORD
    left, right = _side(first, series, by_share), _side(second, other, by_share)
    names = f"{printable(first.name)} and {printable(second.name)}"
    same = None if by_share else alike(series, other)
    if same is not None and same.everywhere:
        says = f"{names}: {series.quantity.called} is identical at all {count(same.points, 'shared point')}"
        return Parting(first.name, second.name, None, series.axis, says, series.quantity)
    begins = f"{names}: " + (f"identical up to {series.axis.value} {step(same.until)}, " if same else "")
    same_seed = SEED in first.facts and first.facts[SEED] == second.facts.get(SEED)
    paired = same is not None or same_seed
    apart = _apart(left, right, _between_seeds(repeats, series.axis, by_share), paired)
    lost = _lost(left, right)
    ends = [end for end in (lost, apart) if end is not None]
    if not ends:
        says = f"{begins}{_not_apart(left, right, by_share)} ({series.quantity.called})"
        return Parting(first.name, second.name, None, series.axis, says, series.quantity)
    earliest, says = min(ends, key=lambda end: end[0])
    position = float(np.interp(earliest, left.positions, series.steps))
    if series.axis is not Axis.EPOCH:
        position = float(round(position))
    if same is not None:
        position = max(position, same.next_step)
    where = f"diverge at {series.axis.value} {step(position)}"
    where += f", {percentage(earliest)} of each run" if by_share else ""
    return Parting(
        first.name, second.name, position, series.axis, f"{begins}{where} ({says})", series.quantity
    )


def _side(run: Run, series: Series, by_share: bool) -> _Side:
    curve = curve_of(series)
    positions = shares(run, series) if by_share else series.steps
    return _Side(run, series, curve, positions, np.asarray(np.interp(curve.at, series.steps, positions)))


def _common(left: _Side, right: _Side) -> Floats:
    """The positions at which both curves have a level."""
    if not len(left.at) or not len(right.at):
        return np.empty(0)
    low, high = max(left.at[0], right.at[0]), min(left.at[-1], right.at[-1])
    finer = max((left.at, right.at), key=len)
    return np.asarray(finer[(finer >= low) & (finer <= high)])


def _not_apart(left: _Side, right: _Side, by_share: bool) -> str:
    """Why no parting was found: the curves stay together, or there is no common stretch to tell from."""
    if len(_common(left, right)) >= _FEWEST:
        return "do not diverge beyond their noise"
    if by_share or not len(left.at) or not len(right.at):
        return "too few finite values to find where they diverge"
    axis, (first, second) = left.series.axis.value, (left.positions, right.positions)
    few = "no" if min(first[-1], second[-1]) < max(first[0], second[0]) else "too few"
    spans = " and ".join(f"{step(at[0])}-{step(at[-1])}" for at in (first, second))
    return f"share {few} {axis}s to find where they diverge: {spans}"


def _apart(left: _Side, right: _Side, between_seeds: Spread, paired: bool) -> tuple[float, str] | None:
    """The first place from which both levels stay apart, on one side, for some time."""
    grid = _common(left, right)
    needed = max(_FEWEST, -(-len(grid) // _SUSTAINED))
    if len(grid) < needed:
        return None
    difference = left.level(grid) - right.level(grid)
    noise = np.hypot(np.hypot(left.error(grid), right.error(grid)), np.sqrt(2) * between_seeds(grid))
    limit = _SIGMAS * noise
    if not paired:
        limit += (left.shift(grid) + right.shift(grid)) / 2
    side = np.where(np.abs(difference) > limit, np.sign(difference), 0)
    windows = np.lib.stride_tricks.sliding_window_view(side, needed)
    lasting = np.flatnonzero(np.abs(windows.sum(axis=1)) == needed)
    if not len(lasting):
        return None
    index = int(lasting[0])
    here, there = (half.curve.shown(float(half.level(grid[index : index + 1])[0])) for half in (left, right))
    again = "; together again at the end" if not side[-needed:].any() else ""
    against = f"{left.series.quantity.called} {' vs '.join(pair(here, there))}"
    return float(grid[index]), f"{against}, noise {number(float(noise[index]))}{again}"


def _lost(left: _Side, right: _Side) -> tuple[float, str] | None:
    """Where one of the two stops being a number while the other goes on."""
    for side, other in ((left, right), (right, left)):
        values = side.series.values
        if np.isfinite(values[-1]) or not np.isfinite(other.series.values[-1]):
            continue
        finite = np.flatnonzero(np.isfinite(values))
        index = min(int(finite[-1]) + 1 if len(finite) else 0, len(values) - 1)
        return float(
            side.positions[index]
        ), f"{side.series.quantity.called} of {printable(side.run.name)} is NaN or infinite from there on"
    return None


def _between_seeds(repeats: Sequence[Sequence[Series | None]], axis: Axis, by_share: bool) -> Spread:
    groups = []
    for repeat in [] if by_share else repeats[:_SEEDS_USED]:
        alike = [series for series in repeat[:_SEEDS_USED] if series is not None and series.axis is axis]
        curves = [curve for series in alike if len(curve := curve_of(series))]
        if len(curves) > 1:
            groups.append(curves)

    def spread(grid: Floats) -> Floats:
        squares, freedom = np.zeros(len(grid)), 0
        for group in groups:
            levels = np.stack([np.interp(grid, curve.at, curve.level) for curve in group])
            squares += ((levels - levels.mean(axis=0)) ** 2).sum(axis=0)
            freedom += len(group) - 1
        return np.asarray(np.sqrt(squares / max(freedom, 1)))

    return spread
