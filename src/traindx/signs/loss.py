"""What the training loss does over a run."""

from typing import Annotated

import numpy as np

from traindx.curves.curve import Curve, curve_of, is_beyond
from traindx.curves.facts import needs_beginning
from traindx.curves.limits import (
    CLEAR,
    FAINT,
    GRAIN,
    LAST_QUARTER,
    LAST_THIRD,
    LIKELY,
    LITTLE,
    NOISES,
    NOTHING,
    SHORT,
    SMALL,
    STEADY,
    SURE_NOISES,
    TINY,
    TRIPLE,
    WEAK,
)
from traindx.curves.objective import (
    AT_CHANCE,
    YARDSTICKS,
    answers_improve,
    at_floor,
    chance_loss,
    is_certain,
    is_reinforcement,
    learning_curve,
    loss_of,
    still_discriminator,
    still_since,
)
from traindx.curves.series import rank_trend, whole, whole_rate
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.format import multiple, number, percentage
from traindx.objective import Problem
from traindx.quantities import LEARNING_RATE, VAL_LOSS
from traindx.run import Axis, Run

_STEPS = 50
"""Steps below which no fall is slow; bench/thresholds.md#too-short."""
_PARTS = 3
"""Parts of a run, of which the last is held against all; bench/thresholds.md#slow."""
_SLOWING = 0.8
"""Late pace over mean pace of what slows down as it should; bench/thresholds.md#slow."""
_LEAST_FALL = 0.001
"""Share of its level that a loss falls by at least; bench/thresholds.md#slow."""
_NEARLY = 0.2
"""Distance of two levels that people would call one, as a share of them; bench/thresholds.md#stood."""
_FULL_RATE = 0.4
"""Share of a run before which what stands still stood at the full rate; bench/thresholds.md#stood."""


@sign(needs=(YARDSTICKS,), healthy=+1.16, unhealthy=-0.51)
def loss_falls(
    run: Run,
    *,
    noises: Annotated[float, "fall over its standard error; bench/thresholds.md#noises"] = 5.0,
    steady: Annotated[float, "rank trend downwards of the whole run; bench/thresholds.md#steady"] = 4.0,
    share: Annotated[float, "fall over the level that is clear; bench/thresholds.md#clear-fall"] = 0.3,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 6,
) -> Answer:
    """Training loss ends clearly below its start."""
    loss = learning_curve(run)
    if loss is None or len(loss) < points:
        return CANNOT_TELL
    fall = loss.start - loss.end
    # A reward is so noisy that less than two of its own noises is no gain.
    least = (2 if is_reinforcement(run) else 1) * loss.noise
    # In a short run of small batches no stretch is long enough to be sure of, but all of it together may be.
    steadily = fall > 2 * loss.end_noise and rank_trend(loss.level) <= -steady
    if fall <= max(NOTHING * loss.size, least) or not (fall > noises * loss.end_noise or steadily):
        return None
    chance = chance_loss(run)
    if chance is not None and loss.quantity.slug.endswith("_loss") and abs(loss.end / chance - 1) < AT_CHANCE:
        # What fell was only the excess above guessing: nothing was learned.
        return None
    start, end = loss.texts(loss.start, loss.end)
    says = f"{loss.called} {loss.improved} from {start} to {end}"
    evidence = loss.evidence(loss.all_steps, loss.end, loss.start)
    return Finding(min(1.0, fall / (share * loss.size)), says, (evidence,))


@sign(needs=(YARDSTICKS,), severity=Severity.WARNING, problem=Problem.NOT_LEARNING, healthy=-3.40)
@needs_beginning
def loss_falls_slowly(
    run: Run,
    *,
    share: Annotated[float, "fall over the level in the whole run; bench/thresholds.md#slow"] = 0.3,
    straight: Annotated[float, "late pace over mean pace; bench/thresholds.md#slow"] = 0.5,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 15,
) -> Answer:
    """Training loss falls slowly and ends near its start."""
    loss = loss_of(run)
    # How far a loss should fall that may be negative is not known.
    if loss is None or len(loss) < points or loss.floorless:
        return CANNOT_TELL
    if loss.axis is Axis.STEP and loss.steps[-1] - loss.steps[0] < _STEPS:
        return CANNOT_TELL
    fall = loss.start - loss.end
    if fall <= max(SURE_NOISES * loss.end_noise, _LEAST_FALL * loss.size):
        return None
    # At chance or above, only the part below chance is learning.
    size = max(loss.size, chance_loss(run) or 0.0)
    if fall > share * size:
        return None
    # A good rate falls fast at first and slower later; one that is too low falls as a straight line.
    pace = (loss.level_at(LAST_THIRD) - loss.end) / (fall / _PARTS)
    gains = fall > SMALL * size and answers_improve(run)
    if pace < straight or (pace < _SLOWING and gains):
        return None
    start, end = loss.texts(loss.start, loss.end)
    says = f"{loss.called} improves slowly, from {start} to {end}"
    says += f" (last third at {multiple(pace)} the mean pace)"
    strength = min(1.0, max(FAINT, 1 + WEAK - fall / (share * size)) * min(1.0, pace))
    return Finding(strength, says, (loss.evidence(loss.all_steps, loss.end, loss.start - share * size),))


@sign(needs=(YARDSTICKS,), severity=Severity.SERIOUS, problem=Problem.NOT_LEARNING, healthy=-2.68)
@needs_beginning
def loss_flat_from_start(
    run: Run,
    *,
    share: Annotated[float, "best fall over the level; bench/thresholds.md#flat"] = 0.03,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 10,
) -> Answer:
    """Training loss is flat from the start."""
    loss = loss_of(run) or still_discriminator(run)
    if loss is None or len(loss) < points or is_beyond(loss.start):
        return CANNOT_TELL
    fall = loss.start - loss.end
    within = fall <= max(share * loss.size, min(2.0 * loss.noise, TRIPLE * share * loss.size))
    reached = loss.start - loss.best > max(2 * share * loss.size, NOISES * loss.noise)
    # A loss that has risen by a tenth does not stay where it was: from there on it may be said to diverge.
    left = -fall > max(CLEAR * loss.size, 2.0 * loss.noise)
    if not within or left or reached or _drifts_down(loss, 2 * share * loss.size) or _validation_gains(run):
        return None
    if loss.floorless and loss.noise > GRAIN * abs(loss.start):
        # Its noise may hide a fall, and it has no level to say that such a fall would be a small one.
        return CANNOT_TELL
    start, end = loss.text(loss.start), loss.text(loss.end)
    says = f"{loss.called} is flat at {end} for {loss.length}"
    if start != end:
        says = f"{loss.called} is flat for {loss.length} ({start} at the start, {end} at the end"
        says += f"; noise {number(loss.noise)} std)" if abs(fall) > TRIPLE * share * loss.size else ")"
    strength = max(WEAK, 1.0 - max(fall, 0.0) / max(TRIPLE * share * loss.size, TINY))
    evidence = loss.evidence(loss.all_steps, loss.end, loss.start - share * loss.size)
    return Finding(min(1.0, strength), says, (evidence,))


def _drifts_down(loss: Curve, least: float) -> bool:
    """Whether all of the run together shows a fall that a first point among noisy ones does not."""
    third = max(loss.blocks // 3, 1)
    fall = float(np.median(loss.level[:third]) - np.median(loss.level[-third:]))
    return fall > least and rank_trend(loss.level) <= -STEADY


def _validation_gains(run: Run) -> bool:
    """Whether validation shows a progress that is lost in the noise of single training batches."""
    if VAL_LOSS not in run:
        return False
    val = curve_of(whole(run, VAL_LOSS))
    return len(val) >= SHORT and val.start - val.end > max(SURE_NOISES * val.end_noise, 2 * LITTLE * val.size)


@sign(needs=(YARDSTICKS,), severity=Severity.WARNING, problem=Problem.STOPS_EARLY)
def loss_plateaus(
    run: Run,
    *,
    stood: Annotated[float, "share of the run without progress; bench/thresholds.md#stood"] = 0.35,
    decayed: Annotated[
        float, "learning rate over its peak that ends a schedule; bench/thresholds.md#decayed"
    ] = 0.1,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 12,
) -> Answer:
    """Training loss stops falling early, above its floor."""
    loss = loss_of(run)
    if loss is None or len(loss) < points:
        return CANNOT_TELL
    since = still_since(run, loss)
    if since is None or 1 - since < stood or at_floor(run, loss):
        return None
    if LEARNING_RATE in run:
        rate = curve_of(whole_rate(run))
        # A schedule that has run out ends every training: that is no plateau.
        if len(rate) > 1 and rate.level_at(since) <= decayed * float(rate.values.max()):
            return None
    steps = loss.since(since)
    says = f"{loss.called} is flat at {loss.text(loss.end)} since {loss.place(steps[0])}"
    says += f" (last {percentage(1 - since)} of the run)"
    return Finding(min(1.0, (1 - since) / (2 * stood)), says, (loss.evidence(steps, loss.end),))


@sign(needs=(YARDSTICKS,), healthy=-0.43)
def loss_still_falling(
    run: Run,
    *,
    share: Annotated[float, "of all progress in the last quarter; bench/thresholds.md#still-falling"] = 0.04,
    noises: Annotated[float, "fall over its standard error; bench/thresholds.md#noises"] = 4.0,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 8,
) -> Answer:
    """Training loss still falls at the end."""
    loss = learning_curve(run)
    if loss is None or len(loss) < points:
        return CANNOT_TELL
    earlier = loss.level_at(LAST_QUARTER)
    fall = earlier - loss.end
    if fall <= max(share * loss.progress, noises * loss.end_noise):
        return None
    before, end = loss.texts(earlier, loss.end)
    says = f"{loss.called} still improves in the last quarter, from {before} to {end}"
    strength = min(1.0, WEAK + fall / max(loss.progress, TINY))
    return Finding(strength, says, (loss.evidence(loss.since(LAST_QUARTER), loss.end, earlier),))


@sign(needs=(YARDSTICKS,), healthy=+1.04)
def loss_converged(
    run: Run,
    *,
    stood: Annotated[float, "share of the run without progress; bench/thresholds.md#stood"] = 0.1,
    decayed: Annotated[
        float, "learning rate over its peak that ends a schedule; bench/thresholds.md#decayed"
    ] = 0.1,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 10,
) -> Answer:
    """Training loss has converged, at its floor or with the schedule."""
    loss = learning_curve(run)
    if loss is None or len(loss) < points:
        return CANNOT_TELL
    since = still_since(run, loss)
    if since is None or 1 - since < stood:
        return None
    floor = at_floor(run, loss)
    # Settled with its schedule means late: a loss that stood still at the full rate has settled for less.
    if not floor and (since < _FULL_RATE or not _schedule_ended(run, decayed)):
        return None
    why = "near its floor" if floor else "after the learning rate decayed"
    says = f"{loss.called} {_arrival(loss, loss.block_at(since))}, {why}"
    return Finding(1.0 if floor else LIKELY, says, (loss.evidence(loss.since(since), loss.end),))


def _arrival(loss: Curve, block: int) -> str:
    """Where and when it settles; where it falls on by orders of magnitude below, what it comes down to."""
    level, location = float(loss.trend[block]), loss.place(float(loss.at[block]))
    if abs(level - loss.end) <= max(NOISES * loss.end_noise, _NEARLY * abs(loss.end)):
        return f"settles at {loss.text(loss.end)} from {location} on"
    down, end = loss.texts(level, loss.end)
    return f"is down to {down} at {location} and ends at {end}"


def _schedule_ended(run: Run, decayed: float) -> bool:
    if LEARNING_RATE not in run:
        return False
    rate = whole_rate(run).finite.values
    return len(rate) > 1 and float(rate[-1]) <= decayed * float(rate.max())


@sign(needs=(YARDSTICKS,), severity=Severity.CRITICAL, problem=Problem.DIVERGES)
def loss_diverges(
    run: Run,
    *,
    lost: Annotated[float, "share of the progress given back; bench/thresholds.md#lost"] = 0.4,
    noises: Annotated[float, "rise over its standard error; bench/thresholds.md#noises"] = 4.0,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 6,
) -> Answer:
    """Training loss ends far above its best."""
    loss = loss_of(run)
    if loss is None or len(loss) < points:
        return CANNOT_TELL
    if loss.quantity.split is not None and loss.quantity.split.value != "train":
        return CANNOT_TELL
    if is_certain(run, loss):
        return None
    # The first points count as well: a loss that leaves at once never shows a better level.
    lowest = min(loss.best, loss.start)
    rise = loss.end - lowest
    # What counts as far: most of the progress given back, or where there was none, a clear part of the level.
    # A loss that began far above its level is held against that level, unless it is at its floor.
    begun_above = not loss.floorless and loss.best > CLEAR * loss.start
    gained = min(loss.progress, loss.best) if begun_above else loss.progress
    far = max(lost * gained, CLEAR * loss.size if loss.progress < CLEAR * loss.size else 0.0)
    # The best is the luckiest of all levels, so it lies below the true one by about two of their noises.
    beyond = rise > noises * loss.end_noise + 2 * loss.noise_around(loss.best_block)
    # A loss that has grown by its own size and stays there needs no noise to be held against.
    left = rise > loss.size and float(loss.level[-loss.tail :].min()) > lowest + far
    if rise <= far or not (beyond or left):
        return None
    value, best = loss.lowest
    lowest_text, end = loss.texts(value, loss.end)
    says = f"{loss.called} is best at {loss.place(best)} ({lowest_text}) and ends at {end}"
    where = (best, float(loss.steps[-1]))
    strength = min(1.0, (1 + rise / max(loss.progress, far, rise) - lost) / 2)
    return Finding(strength, says, (loss.evidence(where, loss.end, lowest + far),))
