"""How many steps a trial run takes: what fits the time, and is long enough to show an effect."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from traindx.changes.types import Measure
from traindx.format import count, duration
from traindx.run import Run
from traindx.trials.effect import TAIL, curve, steps_of
from traindx.trials.standing import PROMISING

_ARM_SECONDS = 30.0
"""What an arm takes by default, at most."""
_FEWEST = 100
"""Steps below which hardly anything is learned."""
_POINTS = 3
"""Points that a curve needs to have an end."""
_AFTER_FAILURE = 1.1
"""Of the step at which a run fails: an arm that ends before it shows nothing of that."""
_TO_PROVE = 6
"""Runs that a proof takes: three pairs."""
_SHARE = 0.8
"""Of the time limit that longer arms may take for one proof."""


@dataclass(frozen=True)
class Length:
    """The steps of every arm, and what is to be noted of them."""

    steps: int
    note: str = ""


def arm_length(
    run: Run,
    seconds: float,
    measures: Iterable[Measure],
    *,
    wanted: int | None = None,
    arm_seconds: float | None = None,
    left: float = 0.0,
    at_once: int = 1,
) -> Length:
    """The steps of every arm of a program whose first run took so many seconds.

    Those asked for, or the whole run where it is short, or what fits the time; more where these show no
    effect and the seconds `left` allow it for `at_once` arms at a time.
    """
    taken = max(1, steps_of(run))
    if wanted is not None:
        return Length(min(wanted, taken))
    allowed = arm_seconds or _ARM_SECONDS
    if seconds <= allowed:
        return Length(taken)
    fits = max(min(_FEWEST, taken), int(taken * allowed / seconds))
    needed = max([steps_needed(run, measure) for measure in measures], default=0)
    if needed <= fits:
        return Length(fits)
    each = seconds * needed / taken
    if arm_seconds is None and math.ceil(_TO_PROVE / at_once) * each <= _SHARE * left:
        return Length(needed)
    minutes = math.ceil(math.ceil(_TO_PROVE / at_once) * each / _SHARE / 60)
    return Length(
        fits,
        f"trial runs of {count(fits, 'step')} may be too short to show an effect: {needed} steps would"
        f" show it (about {duration(each)} each); use --steps {needed} --minutes {max(1, minutes)}",
    )


def steps_needed(run: Run, measure: Measure) -> int:
    """The steps after which a run would show an effect worth proving, by its failure and its noise."""
    points = curve(run, measure)
    if not points or measure is Measure.SPEED:
        return 0
    steps = np.array([step for step, _ in points])
    values = np.array([value for _, value in points])
    taken = steps_of(run)
    needed = float(steps[min(_POINTS, len(steps)) - 1])
    fails = np.flatnonzero(~np.isfinite(values))
    if len(fails):
        return min(taken, math.ceil(max(needed, _AFTER_FAILURE * float(steps[fails[0]]))))
    tail = values[-max(_POINTS, math.ceil(TAIL * len(values))) :]
    level = abs(float(tail.mean()))
    # From point to point, so that a loss that still falls is not taken for noise.
    noise = float(np.diff(tail).std()) / math.sqrt(2) if len(tail) > _POINTS else 0.0
    if level:
        # Two standard errors of the difference of two ends are no larger than the effect.
        least = (2 * math.sqrt(2) * noise / (PROMISING * level)) ** 2
        needed = max(needed, least / TAIL * taken / len(values))
    return min(taken, math.ceil(needed))
