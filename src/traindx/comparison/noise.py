"""What differs between runs by luck, and which curves agree to the last bit."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from traindx.comparison.hyperparameters import Hyperparameters
from traindx.comparison.measure import Measure
from traindx.comparison.outcome import Outcome, order
from traindx.format import count, multiple, number, pair, printable, step
from traindx.run import Axis, Run, Series


@dataclass(frozen=True)
class Alike:
    """The bit-identical begin of two curves."""

    until: float
    next_step: float
    points: int
    """How many positions both curves have."""
    everywhere: bool


def alike(one: Series, other: Series) -> Alike | None:
    """How far two series agree to the last bit; None if not even their first two common points do."""
    steps, left, right = np.intersect1d(one.steps, other.steps, assume_unique=True, return_indices=True)
    equal = (one.values[left] == other.values[right]) | (
        np.isnan(one.values[left]) & np.isnan(other.values[right])
    )
    differ = np.flatnonzero(~equal)
    until = int(differ[0]) if len(differ) else len(steps)
    if until < 2:
        return None
    following = float(steps[min(until, len(steps) - 1)])
    return Alike(float(steps[until - 1]), following, len(steps), not len(differ))


def one_training(series: Sequence[Series | None]) -> bool:
    """Whether all curves are the same training as far as they go: each agrees with the longest throughout."""
    curves = [curve for curve in series if curve is not None]
    if len(curves) < len(series):
        return False
    longest = max(curves, key=len)
    return all(curve is longest or is_same(curve, longest) for curve in curves)


def is_same(one: Series, other: Series) -> bool:
    """Whether two curves agree wherever both have a value, and both count the same."""
    if one.axis is not other.axis or one.axis is Axis.RECORD:
        return False
    shared = alike(one, other)
    # A few shared points among many, as those of logs with other intervals, show no common training.
    return shared is not None and shared.everywhere and shared.points >= min(len(one), len(other))


_TWICE = 2.0
_MANY = 100
_STUDENT = (12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23)
"""Two-sided 95% limits of Student's t for 1 to 10 degrees of freedom."""


@dataclass(frozen=True)
class SeedNoise:
    """The standard deviation of the best value between runs that differ only in their seed."""

    deviation: float
    freedom: int
    """Degrees of freedom: runs less configurations."""


def seed_noise(found: Sequence[Outcome], chosen: Hyperparameters) -> SeedNoise | None:
    """The noise between seeds over all configurations that were repeated."""
    squares, freedom = 0.0, 0
    for group in chosen.repeats():
        values = np.array([found[run].turned for run in group if not found[run].fails])
        if len(values) > 1:
            squares += float(((values - values.mean()) ** 2).sum())
            freedom += len(values) - 1
    if not freedom or not np.isfinite(squares):
        return None
    return SeedNoise(float(np.sqrt(squares / freedom)), freedom)


def remarks(
    runs: Sequence[Run],
    found: Sequence[Outcome],
    chosen: Hyperparameters,
    noise: SeedNoise | None,
    compared: Measure,
) -> list[str]:
    """What the noise says about the order of the runs."""
    good = [run for run in order(found) if not found[run].fails]
    if len(good) < 2:
        return []
    measure = compared.called
    first, second = (compared.series[run] for run in good[:2])
    if first is not None and second is not None and is_same(first, second):
        return [_one_training(runs, good, first, second, measure)]
    if chosen.only_seeds and noise:
        best, worst = found[good[0]].best, found[good[-1]].best
        low, high = pair(best, worst)
        return [
            f"The {len(runs)} runs differ only in their seed: {measure} {low} to {high}"
            f" (std {number(noise.deviation)})."
        ]
    if noise:
        return [_by_seeds(runs, found, chosen, noise, measure)]
    return [_by_curves(runs, found, good, measure)]


def _one_training(
    runs: Sequence[Run], good: Sequence[int], first: Series, second: Series, measure: str
) -> str:
    names = " and ".join(printable(runs[run].name) for run in good[:2])
    says = f"{_two(runs)}, {names}, are the same training run: {measure} is identical at all"
    says += f" {count(min(len(first), len(second)), 'shared point')}"
    ends = [float(series.steps[-1]) for series in (first, second)]
    if ends[0] == ends[1]:
        return f"{says}."
    return f"{says}; one ends at {first.axis.value} {step(min(ends))}, the other at {step(max(ends))}."


def _by_seeds(
    runs: Sequence[Run], outcomes: Sequence[Outcome], chosen: Hyperparameters, noise: SeedNoise, measure: str
) -> str:
    groups = [[run for run in group if not outcomes[run].fails] for group in chosen.configurations()]
    means = {
        tuple(group): float(np.mean([outcomes[run].turned for run in group])) for group in groups if group
    }
    if len(means) < 2:
        (only,) = means
        return (
            f"Only {_called(runs, only)} ended with a finite {measure}; there is nothing to compare it with."
        )
    first, second = sorted(means, key=lambda group: means[group])[:2]
    apart = means[second] - means[first]
    student = _STUDENT[noise.freedom - 1] if noise.freedom <= len(_STUDENT) else _TWICE
    limit = student * noise.deviation * float(np.sqrt(1 / len(first) + 1 / len(second)))
    names = " and ".join(_called(runs, group) for group in (first, second))
    difference, least = pair(apart, limit)
    measured = f"std between seeds {number(noise.deviation)}; significant above {least}"
    if apart <= limit:
        return (
            f"{_two(runs)}, {names}, do not differ beyond the noise: {difference} in {measure} ({measured})."
        )
    return f"{_two(runs)}, {names}, differ by {difference} in {measure}, beyond the noise ({measured})."


def _two(runs: Sequence[Run]) -> str:
    return "The two runs" if len(runs) == 2 else "The first two"


def _called(runs: Sequence[Run], group: Sequence[int]) -> str:
    name = printable(runs[group[0]].name)
    return name if len(group) == 1 else f"{name} and {count(len(group) - 1, 'repeat')} of it"


def _by_curves(runs: Sequence[Run], outcomes: Sequence[Outcome], good: Sequence[int], measure: str) -> str:
    first, second = good[:2]
    names = " and ".join(printable(runs[run].name) for run in (first, second))
    apart = outcomes[second].turned - outcomes[first].turned
    scatter = float(np.hypot(outcomes[first].noise, outcomes[second].noise))
    unknown = "no configuration was repeated with another seed, so the noise between runs is unknown"
    if scatter and apart <= _TWICE * scatter:
        return (
            f"{_two(runs)}, {names}, do not differ beyond the noise of their curves: {number(apart)} in"
            f" {measure} (noise {number(scatter)}); {unknown}."
        )
    times = multiple(apart / scatter) if apart < _MANY * scatter else f"over {_MANY}x"
    against = f", {times} the noise of their curves" if scatter else ""
    return f"{_two(runs)}, {names}, differ by {number(apart)} in {measure}{against}; {unknown}."
