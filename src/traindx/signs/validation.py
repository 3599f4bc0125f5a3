"""What the validation loss and metrics do."""

import math
from typing import Annotated

import numpy as np

from traindx.curves.curve import Curve, curve_of
from traindx.curves.facts import losses_differ
from traindx.curves.limits import (
    FAINT,
    FEW,
    LAST_QUARTER,
    LITTLE,
    NOISES,
    NOTHING,
    SHORT,
    SURE_NOISES,
    SWING,
    TINY,
)
from traindx.curves.series import rank_trend, robust_sigma, seen_in, shares, whole
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.format import count, multiple, number, pair, percentage
from traindx.objective import Problem
from traindx.quantities import (
    TRAIN_LOSS,
    VAL_ACCURACY,
    VAL_ERROR,
    VAL_LOSS,
    VAL_PERPLEXITY,
    VAL_SCORE,
)
from traindx.run import Run

_LEAST_GAIN = 0.01
"""Share of its level that a measure gains at least; bench/thresholds.md#kept."""
_GIVEN_BACK = 0.3
"""Share of its gain that a measure may give back; bench/thresholds.md#kept."""
_GOOD_GAIN = 0.4
"""Share of its level whose gain adds full strength; bench/thresholds.md#kept."""
_LEAST_RISE = 0.003
"""Share of its level that a turn rises by at least; bench/thresholds.md#turn."""
_LEAST_FALL = 0.005
"""Share of its level that training falls by meanwhile; bench/thresholds.md#turn."""
_LONG = 0.4
"""Share of the run after the best, from which on a turn is long; bench/thresholds.md#turn."""
_LEAST = 0.15
"""Strength of the shortest turn; bench/thresholds.md#turn."""
_SHOWN = 6
"""Digits shown of a loss that never changes; bench/thresholds.md#never-moves."""
_DIGITS = 5
"""Digits that cannot agree by chance; bench/thresholds.md#never-moves."""

_MEASURES = (VAL_LOSS, VAL_PERPLEXITY, VAL_ACCURACY, VAL_SCORE, VAL_ERROR)


@sign(needs=(_MEASURES,), healthy=+0.75, unhealthy=-0.43)
def validation_improves(
    run: Run,
    *,
    noises: Annotated[float, "gain over its standard error; bench/thresholds.md#noises"] = 4.0,
    lost: Annotated[float, "distance from the best over the best; bench/thresholds.md#kept"] = 0.05,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 3,
) -> Answer:
    """Validation improves and ends near its best."""
    measure = curve_of(whole(run, next(one for one in _MEASURES if one in run)))
    if len(measure) < points:
        return CANNOT_TELL
    gain = measure.start - measure.end
    if gain <= max(noises * measure.end_noise, _LEAST_GAIN * measure.size):
        return None
    level = measure.size if measure.floorless else abs(measure.best)
    allowed = max(lost * level, NOISES * measure.end_noise + measure.level_noise, LITTLE * gain)
    if measure.end - measure.best > min(allowed, _GIVEN_BACK * gain):
        return None
    start, end = measure.texts(measure.start, measure.end)
    says = f"{measure.called} {measure.improved} from {start} to {end}"
    strength = min(1.0, FAINT + gain / (_GOOD_GAIN * measure.size))
    return Finding(strength, says, (measure.evidence(measure.all_steps, measure.end, measure.start),))


@sign(needs=((VAL_LOSS, VAL_PERPLEXITY),), severity=Severity.SERIOUS, problem=Problem.OVERFITS)
def validation_turns_up(
    run: Run,
    *,
    noises: Annotated[float, "rise over its standard error; bench/thresholds.md#noises"] = 4.0,
    clear: Annotated[float, "rise over the best that is clear; bench/thresholds.md#turn"] = 0.2,
    steady: Annotated[float, "rank trend after the best; bench/thresholds.md#steady"] = 2.4,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 5,
) -> Answer:
    """Validation loss rises while training loss keeps falling."""
    series = whole(run, VAL_LOSS if VAL_LOSS in run else VAL_PERPLEXITY)
    loss = curve_of(series)
    if len(loss) < points:
        return CANNOT_TELL
    rise = loss.end - loss.best
    after = loss.blocks - 1 - loss.best_block
    # The best is the luckiest of all levels, so it lies below the true one by about one of their noises.
    beyond = rise > noises * loss.end_noise + loss.noise_around(loss.best_block)
    steadily = after >= SHORT and rank_trend(loss.level[loss.best_block :]) >= steady
    if not (beyond or steadily) or rise <= _LEAST_RISE * loss.size or after < 2:
        return None
    if not _train_falls(run, float(shares(run, series.finite)[_index(loss)])):
        return None
    value, best_at = loss.lowest
    best, end = loss.texts(value, loss.end)
    says = f"{loss.called} is best at {loss.place(best_at)} ({best}) and ends at {end}"
    if not loss.floorless:
        says += f", {percentage((loss.end - value) / max(abs(value), TINY))} higher"
    says += ", while training loss falls" if TRAIN_LOSS in run else ""
    # How much it rises, and for how long: a turn over the last tenth may still turn back.
    long = min(1.0, (1 - loss.share_of(loss.best_block)) / _LONG)
    level = loss.size if loss.floorless else max(abs(loss.best), TINY)
    strength = max(_LEAST, math.sqrt(min(1.0, rise / level / clear)) * long)
    return Finding(strength, says, (loss.evidence((best_at, float(loss.steps[-1])), loss.end, value),))


def _index(loss: Curve) -> int:
    """The point in the middle of the best block."""
    return int(np.searchsorted(loss.steps, loss.at[loss.best_block]))


def _train_falls(run: Run, share: float) -> bool:
    """Whether the training loss ends below where it stood at a share of the run; yes if it was not logged."""
    if TRAIN_LOSS not in run:
        return True
    train = curve_of(whole(run, TRAIN_LOSS))
    if len(train) < FEW:
        return True
    return train.level_at(min(share, 1.0)) - train.end > max(2 * train.end_noise, _LEAST_FALL * train.size)


@sign(needs=(TRAIN_LOSS, VAL_LOSS), severity=Severity.SERIOUS, problem=Problem.OVERFITS, healthy=-0.67)
def validation_never_improves(
    run: Run,
    *,
    fall: Annotated[float, "fall of the training loss over its start; bench/thresholds.md#never"] = 0.2,
    gain: Annotated[float, "validation gain over the training fall; bench/thresholds.md#never"] = 0.1,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 6,
) -> Answer:
    """Validation loss never improves although training loss falls."""
    train, val = curve_of(whole(run, TRAIN_LOSS)), curve_of(whole(run, VAL_LOSS))
    if len(val) < points or len(train) < points or losses_differ(run):
        return CANNOT_TELL
    fell = train.start - train.end
    if fell < max(fall * train.size, SURE_NOISES * train.end_noise):
        return None
    first = max(float(val.values[0]), val.start)
    gained = first - val.lowest[0]
    # The first validation comes after some training: where most was already learned there is little to gain.
    late = first - train.end < fell / 2
    if gained > max(gain * fell, 2 * val.level_noise) or late:
        return None
    start, end = train.texts(train.start, train.end)
    says = f"training loss falls from {start} to {end}, but validation loss never falls below"
    says += f" {number(val.lowest[0])} (first {number(first)})"
    evidence = val.evidence(val.all_steps, val.best, first)
    return Finding(min(1.0, fell / (2 * fall * train.size)), says, (evidence,))


@sign(needs=(VAL_LOSS,), severity=Severity.SERIOUS, problem=Problem.VALIDATION_OFF)
def validation_never_moves(
    run: Run,
    *,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 4,
) -> Answer:
    """Validation loss is identical at every evaluation."""
    series = whole(run, VAL_LOSS).finite
    if len(series) < points:
        return CANNOT_TELL
    if bool(np.any(series.values != series.values[0])):
        return None
    # A few digits may hide small steps; many that agree cannot.
    digits = len(f"{float(series.values[0]):.11e}".partition("e")[0].replace(".", "").strip("-0"))
    value = float(series.values[0])
    says = f"all {count(len(series), 'validation loss', 'validation losses')} are exactly"
    says += f" {number(value, _SHOWN)}"
    evidence = seen_in(series, value)
    return Finding(1.0 if digits >= _DIGITS else 1 / 2, says, (evidence,))


@sign(needs=(VAL_LOSS, TRAIN_LOSS), severity=Severity.WARNING, problem=Problem.UNSTABLE)
def validation_noisy(
    run: Run,
    *,
    swing: Annotated[
        float, "range of validation (4 std) over its level; bench/thresholds.md#val-swing"
    ] = 0.3,
    ratio: Annotated[float, "validation noise over training noise; bench/thresholds.md#val-swing"] = 1.5,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 8,
) -> Answer:
    """Validation loss is much noisier than training loss."""
    train, val = curve_of(whole(run, TRAIN_LOSS)), curve_of(whole(run, VAL_LOSS))
    if len(val) < points or len(train) < points or val.floorless or losses_differ(run):
        return CANNOT_TELL
    late = val.level[val.blocks // 4 :]
    noise = robust_sigma(val.unrest[val.blocks // 4 :])
    level = max(float(np.median(np.abs(late))), TINY)
    calm = max(train.noise_around(train.blocks - 1), TINY)
    if SWING * noise < swing * level or noise < ratio * calm:
        return None
    says = f"validation loss is noisy ({number(float(np.median(late)))} ± {number(noise)} std)"
    says += f", {multiple(noise / calm)} the noise of training loss"
    strength = min(1.0, SWING * noise / (2 * swing * level))
    return Finding(max(FAINT, strength), says, (val.evidence(val.since(1 - LAST_QUARTER), val.end),))


@sign(needs=(TRAIN_LOSS, VAL_LOSS))
def validation_below_train(
    run: Run,
    *,
    noises: Annotated[float, "distance over its standard error; bench/thresholds.md#noises"] = 3.0,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 3,
) -> Answer:
    """Validation loss is below training loss."""
    train, val = curve_of(whole(run, TRAIN_LOSS)), curve_of(whole(run, VAL_LOSS))
    if min(len(train), len(val)) < points or losses_differ(run):
        return CANNOT_TELL
    below = train.end - val.end
    if below <= max(noises * (train.end_noise + val.end_noise), NOTHING * val.size):
        return None
    lower, higher = pair(val.end, train.end)
    says = f"validation loss {lower} is below training loss {higher}"
    return Finding(1.0, says, (val.evidence(val.end_steps, val.end, train.end),))
