"""How good each run became by the common measure, and when; double descent over the size of the model."""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from traindx import facts as f
from traindx.comparison.hyperparameters import Hyperparameters, Values, numbers
from traindx.comparison.measure import Measure
from traindx.curves.curve import Curve, curve_of
from traindx.format import listed, number
from traindx.run import Axis, Better, Floats, Series

_OF_THE_WAY = 0.9
"""The common target: this share of the way from the common start to what half of the runs reach."""
_LEVELS = 5
"""Levels in the window that speed is measured through, as many as a trend is smoothed over."""


@dataclass(frozen=True, eq=False)
class Outcome:
    """The best and the final value of one run."""

    best: float
    best_at: float
    final: float
    axis: Axis
    points: int
    noise: float
    """How far the best value may lie from the truth, by the scatter of the curve itself."""
    turned: float
    """The best value so that lower is better; infinite for a run that fails or has none."""
    curve: Curve | None

    @property
    def fails(self) -> bool:
        """Whether there is nothing to rank: no value, or none that is finite at the end."""
        return not np.isfinite(self.turned)


def outcomes(measure: Measure) -> tuple[Outcome, ...]:
    """The outcome of every run, in the order of the runs."""
    return tuple(_outcome(series) for series in measure.series)


def _outcome(series: Series | None) -> Outcome:
    if series is None or not len(series):
        return Outcome(np.nan, 0.0, np.nan, Axis.STEP, 0, 0.0, np.inf, None)
    final, points = float(series.values[-1]), len(series)
    curve = curve_of(series)
    if not len(curve):
        return Outcome(np.nan, float(series.steps[0]), final, series.axis, points, 0.0, np.inf, None)
    if is_noisy(series) and curve.width > 1:
        # The lowest of many batches is luck: the trend tells how good the run became.
        block = curve.best_block
        best, at, noise = curve.best, float(curve.at[block]), curve.level_noise
        final = curve.shown(curve.end) if np.isfinite(final) else final
    else:
        point = int(curve.values.argmin())
        best, at, noise = float(curve.values[point]), float(curve.steps[point]), curve.noise
    turned = best if np.isfinite(final) else np.inf
    return Outcome(curve.shown(best), at, final, series.axis, points, noise, turned, curve)


def is_noisy(series: Series) -> bool:
    """Whether single values are of single batches or episodes, not of a whole data set."""
    return series.quantity.slug.startswith("train_") or series.quantity.slug == "reward"


def order(found: Sequence[Outcome]) -> list[int]:
    """The places of the outcomes, the best first; failed runs last, those that have values before others."""
    return sorted(range(len(found)), key=lambda i: (found[i].turned, np.isnan(found[i].best), i))


def target(found: Sequence[Outcome]) -> float | None:
    """A value, turned so that lower is better, which half of the runs or more reach; None if none does."""
    curves = [outcome.curve for outcome in found if outcome.curve is not None]
    if not curves or len({curve.axis for curve in curves}) > 1:
        return None
    start = float(np.median([curve.start for curve in curves]))
    bests = sorted(curve.best for curve in curves)
    progress = start - bests[0]
    # The upper median, so that of two runs both reach it; unless that run hardly moved.
    reached = bests[len(bests) // 2]
    if start - reached < progress / 4:
        reached = bests[(len(bests) - 1) // 2]
    if start - reached <= 2 * max(curve.end_noise for curve in curves if curve.best <= reached):
        return None
    return start - _OF_THE_WAY * (start - reached)


def reached(found: Sequence[Outcome], turned_target: float | None) -> list[float | None]:
    """For each run the first position where it is as good as the target; None if it never is."""
    if turned_target is None:
        return [None] * len(found)
    by_trend = [_first_at(outcome.curve, turned_target) for outcome in found]
    there = [
        outcome.curve for outcome, at in zip(found, by_trend, strict=True) if at is not None and outcome.curve
    ]
    # All through the narrowest window: a trend follows later the longer a run becomes, and identical runs
    # must not be told apart by that.
    span = min((_LEVELS * curve.width * _spacing(curve) for curve in there), default=0.0)
    places: list[float | None] = []
    for outcome, at in zip(found, by_trend, strict=True):
        passed = None if at is None or outcome.curve is None else _passes(outcome.curve, turned_target, span)
        places.append(at if passed is None else passed)
    return places


def _first_at(curve: Curve | None, turned_target: float) -> float | None:
    if curve is None:
        return None
    good = np.flatnonzero(curve.trend <= turned_target)
    return float(curve.at[good[0]]) if len(good) else None


def _spacing(curve: Curve) -> float:
    return float(np.median(np.diff(curve.steps))) if len(curve) > 1 else 1.0


def _passes(curve: Curve, turned_target: float, span: float) -> float | None:
    """The middle of the first window of so many steps whose median is as good as the target."""
    window = max(_LEVELS, round(span / _spacing(curve)))
    if len(curve) < window:
        return None
    apart = window // _LEVELS
    # Counted from the first point, which is repeated before it: where a run ends moves none of the windows.
    begun = np.pad(curve.values, (window // 2, 0), mode="edge")
    windows = np.lib.stride_tricks.sliding_window_view(begun, window)[::apart]
    good = np.flatnonzero(np.median(windows, axis=1) <= turned_target)
    return float(curve.steps[apart * int(good[0])]) if len(good) else None


def shown(measure: Measure, turned_value: float) -> float:
    """A turned value as the log has it."""
    return -turned_value if measure.quantity.better is Better.HIGHER else turned_value


_SIZES = 4
_NOISES = 3.0
_OF_THE_RANGE = 0.1
_WIDTH = re.compile(
    r"(?i)(^|[^a-z])(width|hidden|hidden_?size|hidden_?dim|d_?model|n_?embd|channels|filters)$"
)


def double_descent_notes(
    found: Sequence[Outcome], chosen: Hyperparameters, measure: Measure, noise: float | None
) -> list[str]:
    """A note where the final value is worst at a middle size; empty otherwise."""
    sized = _size(chosen)
    if sized is None or measure.quantity.slug.startswith("train_"):
        return []
    name, values = sized
    sign = -1.0 if measure.quantity.better is Better.HIGHER else 1.0
    finals: dict[float, list[float]] = defaultdict(list)
    for outcome, size in zip(found, values, strict=True):
        if isinstance(size, int | float) and np.isfinite(outcome.final):
            finals[float(size)].append(sign * outcome.final)
    if len(finals) < _SIZES:
        return []
    sizes = sorted(finals)
    level = np.array([np.median(finals[size]) for size in sizes])
    places = _turns(level, max(_NOISES * (noise or 0.0), _OF_THE_RANGE * float(level.max() - level.min())))
    if places is None:
        return []
    before, peak, after = places
    others = [other for other in chosen.differing if other != name and not _WIDTH.search(other)]
    also = f"; the runs also differ in {listed(others, 3)}" if others else ""
    shown = [number(sign * float(level[index])) for index in (before, peak, after)]
    return [
        f"Double descent over model size: final {measure.called} is {shown[0]} at {number(sizes[before])}"
        f" {name}, worst ({shown[1]}) at {number(sizes[peak])}, and {shown[2]} at {number(sizes[after])}"
        f"{also}. A larger model, more data or more regularization moves past the peak."
    ]


def _turns(level: Floats, limit: float) -> tuple[int, int, int] | None:
    """Where the outcome is good, then worst, then good again as the size grows; None if it never turns so."""
    turns: list[tuple[float, int, int, int]] = []
    for before in range(len(level) - 2):
        peak = before + 1 + int(level[before + 1 :].argmax())
        if peak == len(level) - 1:
            continue
        after = peak + 1 + int(level[peak + 1 :].argmin())
        rise, fall = float(level[peak] - level[before]), float(level[peak] - level[after])
        if rise > limit and fall > max(limit, rise / 2):
            turns.append((rise, before, peak, after))
    return max(turns)[1:] if turns else None


def _size(chosen: Hyperparameters) -> tuple[str, Values] | None:
    names = [f.PARAMETERS.slug, *(name for name in chosen.differing if _WIDTH.search(name))]
    return next(
        (
            (name, chosen.differing[name])
            for name in names
            if name in chosen.differing and numbers(chosen.differing[name])
        ),
        None,
    )
