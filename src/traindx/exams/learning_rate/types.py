"""The types of a search for a learning rate: short trainings, what came of them, the rate they speak for."""

import math
from dataclasses import dataclass
from typing import ClassVar

from traindx.causes import lr_too_high, lr_too_low
from traindx.finding import Finding, Severity, problem

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
    """The loss before anything is learnt."""
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
        return len(self.curve.losses) + sum(len(one.course.losses) for one in self.trials)

    @property
    def best(self) -> RateTrial | None:
        """The trial with the lowest end; None where all of them ran away."""
        whole = [one for one in self.trials if math.isfinite(one.loss) and not one.ran_away]
        return min(whole, key=lambda one: one.loss, default=None)

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
        says = f"at {own.rate:g} the loss falls by {share:.0%} of what it falls by at the best rate tried"
        if own.ran_away or not math.isfinite(own.loss):
            says = f"at {own.rate:g} a short training runs away, and at {self.suggested:g} it learns"
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
        return next((one for one in self.trials if one.rate == rate), None)


def rung(own: float, number: int) -> float:
    """A rate on a ladder through the program's own, two to a decade: x1, x3, x10, and so on."""
    if number == 0:
        return own
    tens, odd = divmod(number, 2)
    return float(f"{own * 10.0**tens * (3 if odd else 1):.6g}")
