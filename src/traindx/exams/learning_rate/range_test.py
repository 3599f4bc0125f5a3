"""Reads a range test: where the loss is lowest, where it runs away, and where it begins."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from traindx.exams.learning_rate.types import Course
from traindx.format import number
from traindx.run import Floats

_UNTRAINED = 0.2
"""The first part of a range test, where rates are so small that nothing is learnt."""
_WIDTH = 0.03
"""Of the steps: how wide the loss is smoothed, about a quarter of a decade."""
_NOISE = 5.0
"""Times the noise between batches that a loss has to rise by to have run away."""
_CLEAR = 5.0
"""Standard errors below the beginning: a lowest loss that is nearer to it may be noise."""
_BELOW = 0.1
"""Of the rate that runs away: where noise hides the lowest loss, trials begin one and two rungs below this.
In the trainings this was developed on the best rate was a seventh to a two-hundredth of it."""
_CAP = 10.0
"""Times as much: what lies above counts no more, or one huge loss would reach back over its neighbours."""


@dataclass(frozen=True)
class Reading:
    """What a range test says."""

    begins: float
    """The loss before anything is learnt."""
    untrained: tuple[float, ...]
    """The losses that is the mean of: how much batches differ."""
    lowest: float
    """The rate at which the loss is lowest; where noise hides that, a tenth of the rate that runs away."""
    limit: float
    """The loss above which a training has run away."""
    diverges: float | None
    """The rate at which it has risen clearly above where it began; None where it never does."""
    is_early: bool
    """Whether it learns or breaks at the lowest rates already."""
    fault: str = ""
    """Why rates cannot be told apart; empty where they can."""


def reading_of(course: Course, steps: int) -> Reading:
    """What the losses of a range test say of its rates; it was to take so many steps."""
    losses, rates = np.array(course.losses), course.rates
    early = losses[: _first(steps)]
    if not np.isfinite(early).all():
        at = int(np.flatnonzero(~np.isfinite(early))[0])
        fault = (
            f"the loss is not a number at step {at + 1} of the range test, at a rate of {number(rates[at])}:"
            " that is the data or the loss function, not the rate"
        )
        return Reading(math.nan, (), rates[0], math.inf, None, at > 0, fault)
    runaway = run_away(losses, steps, course.broke)
    last = len(losses) if runaway is None else max(3, runaway)
    smooth = _smoothed(_capped(losses[:last], early), steps)
    fall = float(np.mean(early) - smooth.min())
    # Over about so many steps a smoothed loss is the mean.
    is_clear = fall > _CLEAR * float(np.std(early)) / math.sqrt(math.tau * _width(steps))
    diverges = None if runaway is None else rates[min(runaway, len(rates) - 1)]
    return Reading(
        begins=float(np.mean(early)),
        untrained=tuple(early.tolist()),
        lowest=_BELOW * diverges if diverges and not is_clear else rates[int(np.argmin(smooth))],
        limit=_limit(losses[:last], steps),
        diverges=diverges,
        is_early=runaway is not None and runaway <= _first(steps) + 1,
    )


def run_away(losses: Floats, steps: int, broke: bool = False) -> int | None:
    """The step at which a range test has run away: no number, or clearly above where it began."""
    known = losses if np.isfinite(losses).all() else losses[: int(np.argmin(np.isfinite(losses)))]
    over = first_above(known, _limit(known, steps)) if len(known) > _first(steps) else None
    if over is not None:
        return over
    return len(known) if broke or len(known) < len(losses) else None


def first_above(losses: Floats, limit: float) -> int | None:
    """The first step that lies above a limit together with one of its two neighbours before it."""
    three = [float(np.median(losses[at - 2 : at + 1])) for at in range(2, len(losses))]
    return next((at for at, middle in enumerate(three, 2) if middle > limit), None)


def _first(steps: int) -> int:
    """The steps in which nothing is learnt yet."""
    return max(3, round(_UNTRAINED * steps))


def _limit(losses: Floats, steps: int) -> float:
    early = losses[: _first(steps)]
    begins = float(np.mean(early))
    return begins + max(begins - float(_smoothed(losses, steps).min()), _NOISE * float(np.std(early)))


def _capped(losses: Floats, early: Floats) -> Floats:
    begins = float(np.mean(early))
    room = _CAP * max(float(np.std(early)), begins - float(losses.min()))
    return np.minimum(losses, begins + room)


def _smoothed(losses: Floats, steps: int) -> Floats:
    """Each loss with its neighbours, on both sides: an average that lags would shift the rates."""
    at = np.arange(len(losses))
    weights = np.exp(-0.5 * ((at[:, None] - at) / _width(steps)) ** 2)
    return np.asarray(weights @ losses / weights.sum(axis=1))


def _width(steps: int) -> float:
    return max(1.0, _WIDTH * steps)


def fallen(before: "Sequence[float] | Floats", after: Sequence[float]) -> float:
    """By how many standard errors of their difference one mean lies below another."""
    parts = [np.asarray(before), np.asarray(after)]
    spread = sum(float(part.var(ddof=1)) / len(part) for part in parts if len(part) > 1)
    fall = float(parts[0].mean() - parts[1].mean())
    if spread:
        return fall / math.sqrt(spread)
    return math.copysign(math.inf, fall) if fall else 0.0
