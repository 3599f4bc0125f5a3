"""Looks for a learning rate: a range test for where to look, then short trainings that decide.

All that is judged is judged against the same batches: every training begins with the same weights, the same
random numbers and the same data.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Protocol

import numpy as np

from traindx.exams.learning_rate.types import (
    Course,
    FoundRate,
    RateTrial,
    Reading,
    fallen,
    first_above,
    reading_of,
    rung,
)
from traindx.format import count, number

_LOW, _HIGH = 1e-7, 10.0
_LOWER = 1e-6
"""How much lower a second range is, where the first began too high."""
_RANGE, _TRIAL, _TRIALS = 0.25, 0.15, 5
"""Shares of all steps for the range test and for each trial, and how many of those there are."""
_ALIKE = 0.05
"""Of what the best trial fell by: ends that close count as alike."""
_LOST, _ENOUGH = 0.5, 0.7
"""A rate whose next higher one loses the first share of the fall stands at an edge, and longer trainings
often fall over it: the next lower one is taken where it has the second share of the fall."""
_TAIL, _FEWEST = 0.3, 5
"""The last part of a trial, whose mean is its end, and the steps that has at least."""
LEAST_STEPS = 100
"""Altogether: fewer leave trials of less than fifteen steps."""
_SAME = 1e-6
_CLEAR = 3.5
"""Standard errors: a smaller fall may be chance, as five trials are looked at by fourteen steps each."""

Ends = dict[int, RateTrial]
"""Trials by the number of their rung."""


class Runner(Protocol):
    """What can run the program for a few steps, always from the same beginning."""

    @property
    def own(self) -> float:
        """The rate the program has; known once a range test has run."""

    def ramp(self, low: float, high: float, steps: int) -> Course:
        """A range test, as `learning_rate.rising` has it."""

    def hold(self, rates: Sequence[float], steps: int) -> list[Course]:
        """Short trainings that reach a rate each."""


@dataclass(frozen=True)
class Plan:
    """How many steps go into what."""

    steps: int = 300
    """Altogether."""

    @property
    def ramp(self) -> int:
        """Steps of the range test."""
        return max(1, round(_RANGE * self.steps))

    @property
    def trial(self) -> int:
        """Steps of each trial."""
        return max(1, round(_TRIAL * self.steps))


def searched(runner: Runner, plan: Plan) -> FoundRate:
    """The rate that short trainings speak for; none where no rate trains."""
    curve = runner.ramp(_LOW, _HIGH, plan.ramp)
    reading, notes = reading_of(curve, plan.ramp), []
    if reading.is_early:
        notes.append(f"the range test started too high and was repeated at {_LOWER:g}x the learning rates")
        curve = runner.ramp(_LOW * _LOWER, _HIGH * _LOWER, plan.ramp)
        reading = reading_of(curve, plan.ramp)
    empty = FoundRate(
        current=runner.own,
        suggested=None,
        why=reading.fault,
        begins=reading.begins,
        curve=curve,
        diverges=reading.diverges,
        notes=tuple(notes),
    )
    if reading.fault:
        return empty
    ends = _tried(runner, plan, reading)
    return _concluded(empty, ends, reading, plan.trial)


def _tried(runner: Runner, plan: Plan, reading: Reading) -> Ends:
    """Trials around where the range test says that rates are good, and one of the program's own rate."""
    ends: Ends = {}
    top = round(2 * math.log10(reading.lowest / runner.own))

    def try_all(rungs: Sequence[int]) -> None:
        wanted = [position for position in dict.fromkeys(rungs) if position not in ends]
        rates = [rung(runner.own, position) for position in wanted]
        for position, rate, course in zip(wanted, rates, runner.hold(rates, plan.trial), strict=True):
            end = _end(course, plan.trial)
            away = not math.isfinite(end) or first_above(np.array(course.losses), reading.limit) is not None
            ends[position] = RateTrial(rate, end, course, away)

    try_all([top - 2, top - 1])
    if _is_deaf(ends):
        return ends
    try_all([_next(ends, runner.own, reading.diverges), 0])
    while len(ends) < _TRIALS:
        try_all([_next(ends, runner.own, reading.diverges)])
    if all(trial.course.validation is not None for trial in ends.values() if math.isfinite(trial.loss)):
        return {rung: _validated(trial) for rung, trial in ends.items()}
    return ends


def _validated(trial: RateTrial) -> RateTrial:
    """The same trial, judged by its validation loss."""
    known = trial.course.validation
    if known is None or not math.isfinite(known):
        return replace(trial, loss=math.inf, ran_away=True)
    return replace(trial, loss=known)


def _end(course: Course, steps: int) -> float:
    """The mean of the last part; infinite where a loss is no number, or the program broke."""
    tail = course.losses[-max(_FEWEST, math.ceil(_TAIL * steps)) :]
    if course.broke or not tail or not all(map(math.isfinite, course.losses)):
        return math.inf
    return math.fsum(tail) / len(tail)


def _is_deaf(ends: Ends) -> bool:
    """Whether two rates give the same losses to the last digit: the weights do not move."""
    first, other = (np.array(trial.course.losses) for trial in ends.values())
    if len(first) != len(other) or not np.isfinite(first).all():
        return False
    return bool(np.allclose(first, other, rtol=_SAME, atol=0.0))


def _next(ends: Ends, own: float, diverges: float | None) -> int:
    """The rung that would tell most: beside the best one, on the side that is still open."""
    best = _best(ends)
    block = _block(ends, best)
    low, high = block[0] - 1, block[-1] + 1
    if len(block) == 1 and len(ends) > 1:
        # Alone, as the program's own rate may be: toward the others.
        return high if max(ends) > best else low
    is_beyond = diverges is not None and rung(own, high) > diverges
    if best == block[-1] and not is_beyond:
        return high
    if best == block[0] or is_beyond:
        return low
    return low if ends[best - 1].loss <= ends[best + 1].loss else high


def _best(ends: Ends) -> int:
    """The rung that ends lowest without having run away; the lower one of two that end alike."""
    return min(ends, key=lambda position: (ends[position].ran_away, ends[position].loss, position))


def _block(rungs: "Ends | Sequence[int]", inside: int) -> list[int]:
    """The neighboring rungs without a gap that hold one of them."""
    blocks: list[list[int]] = [[]]
    ordered = sorted(rungs)
    for before, current in pairwise([ordered[0], *ordered]):
        if current - before > 1:
            blocks.append([])
        blocks[-1].append(current)
    return next(block for block in blocks if inside in block)


def _concluded(result: FoundRate, ends: Ends, reading: Reading, steps: int) -> FoundRate:
    """The rate, and all that goes with it; why there is none, where there is none."""
    trials = tuple(ends[position] for position in sorted(ends))
    whole = replace(result, trials=trials, measure=_measure(trials), diverges=_diverges(result, trials))
    best = _best(ends)
    why = _why_none(ends, best, reading, steps)
    if why:
        return replace(whole, why=why)
    alike = _alike(ends, best, reading.begins)
    chosen, says = _chosen(ends, alike, best, reading.begins)
    usable = (ends[min(alike[0], chosen)].rate, ends[alike[-1]].rate)
    return replace(whole, suggested=ends[chosen].rate, why=says, usable=usable)


def _alike(ends: Ends, best: int, begins: float) -> list[int]:
    """The neighbors of the best rung that end about as well."""
    least = ends[best].loss
    most = least + _ALIKE * max(0.0, begins - least)
    alike = [position for position in ends if ends[position].loss <= most and not ends[position].ran_away]
    return _block(alike, best)


def _chosen(ends: Ends, alike: list[int], best: int, begins: float) -> tuple[int, str]:
    """The middle of what is about as good, the lower one of two; and why."""
    middle = alike[(len(alike) - 1) // 2]
    if 0 in alike and middle >= 0:
        return 0, "the current learning rate is about as good as any tried"
    whole = begins - ends[best].loss
    above, below = ends.get(middle + 1), ends.get(middle - 1)
    at_edge = above is not None and begins - above.loss < _LOST * whole
    if at_edge and below is not None and begins - below.loss >= _ENOUGH * whole:
        return (
            middle - 1,
            f"{number(ends[middle].rate)} reached a lower loss, but 3x that learning rate loses most of it",
        )
    if middle == best:
        return middle, f"the lowest final loss of {count(len(ends), 'trial')}"
    return middle, f"the middle of the range that is about as good as the best ({number(ends[best].rate)})"


def _measure(trials: Sequence[RateTrial]) -> str:
    judged = any(trial.loss == trial.course.validation for trial in trials)
    return "validation loss" if judged else "training loss"


def _diverges(result: FoundRate, trials: Sequence[RateTrial]) -> float | None:
    """The lowest rate above all that learn at which the loss ran away, in a trial or in the range test."""
    learning = max(
        (trial.rate for trial in trials if not trial.ran_away and trial.loss < result.begins), default=0.0
    )
    known = [trial.rate for trial in trials] + ([result.diverges] if result.diverges is not None else [])
    return min((rate for rate in known if rate > learning), default=None)


def _fallen_beside(ends: Ends, best: int, steps: int) -> float:
    """How clearly the best trial ends below the one of the lowest rate, batch by batch."""
    lowest = ends[min(ends)].course.losses
    mine = ends[best].course.losses
    if len(lowest) != len(mine):
        return 0.0
    return fallen(np.array(lowest[-steps:]) - np.array(mine[-steps:]), (0.0,))


def _why_none(ends: Ends, best: int, reading: Reading, steps: int) -> str:
    """Why no rate is suggested; empty where one can be."""
    if _is_deaf(dict(list(ends.items())[:2])):
        rates = " and ".join(number(trial.rate) for trial in list(ends.values())[:2])
        return (
            f"the loss is identical at lr {rates}: its parameters are frozen, detached or not in"
            " the optimizer"
        )
    if ends[best].ran_away:
        return "the loss diverges at every learning rate tried"
    tail = ends[best].course.losses[-max(_FEWEST, math.ceil(_TAIL * steps)) :]
    within = f"within {count(steps, 'step')} at any of the {len(ends)} learning rates tried"
    if max(fallen(reading.untrained, tail), _fallen_beside(ends, best, len(tail))) < _CLEAR:
        return f"the loss does not fall below its initial value ({number(reading.begins)}) {within}"
    blind = ends[best].course.blind[-len(tail) :]
    if blind and fallen(np.array(blind) - np.array(tail), (0.0,)) < _CLEAR:
        guess = math.fsum(blind) / len(blind)
        floor = f"that of a prediction that ignores the input ({number(guess)})"
        return f"the loss does not fall below {floor} {within}"
    return ""
