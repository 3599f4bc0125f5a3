"""What the validation loss and metrics do."""

import math
from typing import Annotated

import numpy as np

from traindx.curves.curve import curve_of
from traindx.curves.facts import losses_differ, needs_beginning
from traindx.curves.limits import (
    CLEAR,
    FAINT,
    FAIR,
    FEW,
    LAST_QUARTER,
    LITTLE,
    NOISES,
    NOTHING,
    SHORT,
    SMALL,
    SURE_NOISES,
    SWING,
    TINY,
    TRIPLE,
    graded,
)
from traindx.curves.objective import is_certain, metric_of
from traindx.curves.series import rank_trend, robust_sigma, shares, whole
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.format import multiple, number, pair, percentage
from traindx.objective import Problem
from traindx.quantities import (
    TRAIN_LOSS,
    VAL_ACCURACY,
    VAL_ERROR,
    VAL_LOSS,
    VAL_PERPLEXITY,
    VAL_SCORE,
)
from traindx.run import Run, Series

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
_NO_GAIN = 0.2
"""Share of its level that noise may gain; bench/thresholds.md#never."""

_MEASURES = (VAL_LOSS, VAL_PERPLEXITY, VAL_ACCURACY, VAL_SCORE, VAL_ERROR)


_ROW = 3
"""The best and two worse evaluations behind it; bench/thresholds.md#few-points."""


@sign(needs=(_MEASURES,), healthy=+0.75, unhealthy=-0.43)
def validation_improves(
    run: Run,
    *,
    noises: Annotated[float, "gain over its standard error; bench/thresholds.md#noises"] = 4.0,
    lost: Annotated[float, "distance from the best over the best; bench/thresholds.md#kept"] = 0.05,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 3,
) -> Answer:
    """Validation improves and ends near its best."""
    measure = curve_of(whole(run, next(quantity for quantity in _MEASURES if quantity in run)))
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
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 4,
) -> Answer:
    """Validation loss rises while training loss keeps falling."""
    series = whole(run, VAL_LOSS if VAL_LOSS in run else VAL_PERPLEXITY)
    if len(series.finite) < points:
        return CANNOT_TELL
    values = series.finite.values
    if len(values) == points and int(np.argmin(values)) > len(values) - _ROW:
        # Of so few, a single worse one is noise.
        return CANNOT_TELL
    trained = whole(run, TRAIN_LOSS) if TRAIN_LOSS in run else None
    finding = _turn(run, series, trained, noises, clear, steady)
    return finding or _turn_of_term(run, noises, clear, steady, points)


def _turn(
    run: Run, series: Series, trained: Series | None, noises: float, clear: float, steady: float
) -> Finding | None:
    """How a validation loss rises from its best while the training loss falls; yes if that was not logged."""
    loss = curve_of(series)
    best, rise = loss.best_block, loss.end - loss.best
    # The best is the luckiest of all levels, so it lies below the true one by about one of their noises.
    beyond = loss.blocks >= SHORT and rise > noises * loss.end_noise + loss.noise_around(best)
    steadily = loss.blocks - best > SHORT and rank_trend(loss.level[best:]) >= steady
    # Of few evaluations no noise can be told: three in a row, each worse than the one before, are none.
    lowest = int(loss.level.argmin())
    climb = np.diff(loss.level[lowest:])
    in_row = len(climb) >= FEW and bool((climb > 0).all()) and float(climb.sum()) > SMALL * loss.size
    if in_row:
        best, rise = lowest, float(climb.sum())
    if not (beyond or steadily or in_row) or rise <= _LEAST_RISE * loss.size or loss.blocks - best < FEW:
        return None
    at = int(np.searchsorted(loss.steps, loss.at[best]))
    if not _falls_after(trained, float(shares(run, series.finite)[at])):
        return None
    value, best_at = loss.lowest
    low, end = loss.texts(value, loss.end)
    name = f"{loss.called} ({loss.part})" if loss.part else loss.called
    says = f"{name} is best at {loss.place(best_at)} ({low}) and ends at {end}"
    if not loss.floorless:
        says += f", {percentage((loss.end - value) / max(abs(value), TINY))} higher"
    says += ", while training loss falls" if trained is not None else ""
    # How much it rises, and for how long: a turn over the last tenth may still turn back.
    long = min(1.0, (1 - loss.share_of(best)) / _LONG)
    level = loss.size if loss.floorless else max(abs(loss.best), TINY)
    risen = min(1.0, rise / level / clear)
    # What only a row of three shows counts by how much it rises: early stopping ends in such a row.
    strength = max(_LEAST, (math.sqrt(risen) if beyond or steadily else risen) * long)
    return Finding(strength, says, (loss.evidence((best_at, float(loss.steps[-1])), loss.end, value),))


def _turn_of_term(run: Run, noises: float, clear: float, steady: float, points: int) -> Finding | None:
    """A term of the validation loss that turns while its sum is still carried down by the others.

    It counts where the metric gains nothing after it has turned: a detector whose mAP rises is well.
    """
    trained = {series.part: series for series in run.all(TRAIN_LOSS) if series.part}
    terms = [
        series for series in run.all(VAL_LOSS) if series.part in trained and len(series.finite) >= points
    ]
    turns = [
        (_turn(run, series, trained[series.part], noises, clear, steady), series)
        for series in terms
        if len(terms) > 1
    ]
    shown = [
        (finding, series) for finding, series in turns if finding is not None and finding.strength >= 1 / 2
    ]
    clearest = max(shown, key=lambda pair: pair[0].strength, default=None)
    if clearest is None:
        return None
    term = curve_of(clearest[1])
    share = term.share_of(term.best_block)
    metric = metric_of(run)
    if metric is None or len(metric) < points:
        return clearest[0]
    gains = metric.level_at(share) - metric.end > CLEAR * metric.size
    return None if gains else clearest[0]


def _falls_after(trained: Series | None, share: float) -> bool:
    """Whether the training loss ends below where it stood at a share of the run; yes if it was not logged."""
    if trained is None or len(trained.finite) < FEW:
        return True
    train = curve_of(trained)
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
    # Noise excuses a small gain, not one that anybody would call a gain.
    if gained > max(gain * fell, min(2 * val.level_noise, _NO_GAIN * abs(first))) or late:
        return None
    start, end = train.texts(train.start, train.end)
    says = f"training loss falls from {start} to {end}, but validation loss never falls below"
    says += f" {number(val.lowest[0])} (first {number(first)})"
    evidence = val.evidence(val.all_steps, val.best, first)
    return Finding(min(1.0, fell / (2 * fall * train.size)), says, (evidence,))


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


@sign(needs=(VAL_LOSS,), severity=Severity.SERIOUS, problem=Problem.UNSTABLE, healthy=-3.50)
@needs_beginning
def validation_swings(
    run: Run,
    *,
    swing: Annotated[float, "of the level; bench/thresholds.md#val-swing"] = 0.3,
    gained: Annotated[float, "of all that it ever gained; bench/thresholds.md#val-swing"] = 1.0,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 8,
) -> Answer:
    """Validation loss swings by more than it ever gained."""
    val = curve_of(whole(run, VAL_LOSS))
    if len(val) < points or val.floorless or is_certain(run, val):
        return CANNOT_TELL
    late = slice(val.blocks // 4, None)
    around, level = (val.level - val.trend)[late], float(np.median(val.level[late]))
    swings = float(np.quantile(around, 1 - SMALL) - np.quantile(around, SMALL))
    if swings < max(swing * level, gained * val.progress, TINY):
        return None
    says = f"validation loss swings by {number(swings)} around {number(level)}"
    says += f"; all it ever gained is {number(val.progress)}"
    strength = graded(swings / max(val.progress, swing * level), 1.0, TRIPLE, least=FAIR)
    return Finding(strength, says, (val.evidence(val.since(1 - LAST_QUARTER), val.end),))


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
