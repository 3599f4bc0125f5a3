"""Short runs in search of a learning rate: the one they support, and what a range test shows."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from traindx.causes import lr_too_high, lr_too_low
from traindx.finding import Finding, Severity, problem
from traindx.format import number
from traindx.run import Floats

_HALF, _HARDLY = 0.5, 0.1
"""Of the best fall: below, the program's own rate is to blame, and beyond doubt."""


@dataclass(frozen=True)
class Course:
    """One short training: the rate and the loss of every step."""

    rates: tuple[float, ...]
    losses: tuple[float, ...]
    """Each before its step, so that the first is that of the untrained model."""
    blind: tuple[float, ...] = ()
    """What each step would lose by an answer that does not depend on the input; empty where unknown."""
    validation: float | None = None
    """The validation loss at the end, where the program computes one."""
    broke: bool = False
    """Whether the program stopped with an error of its own."""


@dataclass(frozen=True)
class RateTrial:
    """A short training at one rate."""

    rate: float
    """The largest it reached: a warm-up begins below."""
    loss: float
    """Where it ended; infinite where it ended in no number or broke."""
    course: Course
    ran_away: bool = False
    """Whether it rose clearly above where it began, even if it came back: it may not the next time."""


@dataclass(frozen=True)
class FoundRate:
    """What a search for a learning rate found."""

    exam: ClassVar[str] = "lr-find"
    current: float
    """The rate the program has."""
    suggested: float | None
    """None where no rate that was tried trains the program, and `why` says what is known of that."""
    why: str
    """Why this rate, or why none."""
    begins: float
    """The loss before anything is learned."""
    curve: Course
    """The range test."""
    trials: tuple[RateTrial, ...] = ()
    """Short trainings at fixed rates, the lowest rate first."""
    usable: tuple[float, float] | None = None
    """The lowest and the highest rate tried that end about as well as the best, or are suggested."""
    diverges: float | None = None
    """The lowest rate that is known to run away; None where none did."""
    measure: str = "training loss"
    """What the trials are compared by."""
    notes: tuple[str, ...] = ()

    @property
    def steps(self) -> int:
        """Optimizer steps it took altogether."""
        return len(self.curve.losses) + sum(len(trial.course.losses) for trial in self.trials)

    @property
    def best(self) -> RateTrial | None:
        """The trial with the lowest end; None where all of them ran away."""
        whole = [trial for trial in self.trials if math.isfinite(trial.loss) and not trial.ran_away]
        return min(whole, key=lambda trial: trial.loss, default=None)

    def share(self, one: RateTrial) -> float | None:
        """What a trial fell by, over what the best one did; None where there is nothing to compare."""
        best = self.best
        if best is None or not math.isfinite(one.loss) or self.begins <= best.loss:
            return None
        return (self.begins - one.loss) / (self.begins - best.loss)

    @property
    def problems(self) -> tuple[Finding, ...]:
        """Whether the program's own rate fails where another one works."""
        own = self.at(self.current)
        if own is None or self.suggested is None or self._works(own):
            return ()
        share = self._fall(own)
        says = f"at lr {own.rate:g} the loss falls only {share:.0%} as far as at the best learning rate tried"
        if own.ran_away or not math.isfinite(own.loss):
            says = f"the loss diverges at lr {own.rate:g} and falls at {self.suggested:g}"
        severity = Severity.SERIOUS if share < _HARDLY else Severity.WARNING
        cause = lr_too_high if own.rate > self.suggested else lr_too_low
        return (problem(cause.CAUSE.slug, severity, says),)

    @property
    def cleared(self) -> tuple[str, ...]:
        """A rate that works is neither too high nor too low."""
        own = self.at(self.current)
        if own is None or not self.suggested or not self._works(own):
            return ()
        return lr_too_high.CAUSE.slug, lr_too_low.CAUSE.slug

    def _works(self, own: RateTrial) -> bool:
        return own.rate == self.suggested or self._fall(own) >= _HALF

    def _fall(self, own: RateTrial) -> float:
        return 0.0 if own.ran_away else self.share(own) or 0.0

    def at(self, rate: float | None) -> RateTrial | None:
        """The trial of a rate; None where it was not tried."""
        return next((trial for trial in self.trials if trial.rate == rate), None)


def rung(own: float, number: int) -> float:
    """A rate on a ladder through the program's own, two to a decade: x1, x3, x10, and so on."""
    if number == 0:
        return own
    tens, odd = divmod(number, 2)
    return float(f"{own * 10.0**tens * (3 if odd else 1):.6g}")


_UNTRAINED = 0.2
"""The first part of a range test, where rates are so small that nothing is learned."""
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
"""Times as much: what lies above counts no more, or one huge loss would reach back over its neighbors."""


@dataclass(frozen=True)
class Reading:
    """What a range test says."""

    begins: float
    """The loss before anything is learned."""
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
            f"the loss is NaN or infinite at step {at + 1} of the range test, at lr {number(rates[at])};"
            " check the data and the loss function"
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
    """The first step that lies above a limit together with one of its two neighbors before it."""
    three = [float(np.median(losses[at - 2 : at + 1])) for at in range(2, len(losses))]
    return next((at for at, middle in enumerate(three, 2) if middle > limit), None)


def _first(steps: int) -> int:
    """The steps in which nothing is learned yet."""
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
    """Each loss with its neighbors, on both sides: an average that lags would shift the rates."""
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
