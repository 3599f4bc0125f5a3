"""Spikes, oscillation and noise of the loss."""

import math
from typing import Annotated

import numpy as np

from traindx.curves.curve import Curve, curve_of
from traindx.curves.facts import needs_beginning
from traindx.curves.failure import FEWEST_BLOCKS, outgrown, spikes_of
from traindx.curves.layers import learns, matrices
from traindx.curves.limits import (
    CLEAR,
    FAINT,
    FAR,
    FEW,
    LATE,
    MILD,
    SHORT,
    SMALL,
    SWING,
    TINY,
    graded,
    linear,
)
from traindx.curves.objective import YARDSTICKS, is_certain, loss_of
from traindx.curves.series import MEDIAN_PRICE, running_median, seen_in, whole
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.format import number
from traindx.objective import Problem
from traindx.quantities import GRADIENT_NORM, TRAIN_LOSS, UPDATE_RATIO, VAL_LOSS
from traindx.run import Axis, Floats, Run, Series

_DOUBLED = 0.15
"""Strength that each doubling of the typical spike adds; bench/thresholds.md#recurring."""
_RHYTHMIC = 0.2
"""Strength that a rhythm adds; bench/thresholds.md#recurring."""
_BEFORE = 20
"""Points whose median is what is usual; bench/thresholds.md#gradient-leap."""
_BLOCKS = 10
"""Fewest blocks, of which half can swing; bench/thresholds.md#few-points."""
_TURNS = 0.3
"""Share of inner points at which levels that swing turn back; bench/thresholds.md#swing."""
_WINDOW = 15
"""Blocks that the trend of a swing is taken over; bench/thresholds.md#swing."""
_OF_LEVEL = 0.25
"""Share of its level that a swing is held against at least; bench/thresholds.md#swing."""


@sign(needs=(YARDSTICKS,))
def loss_spikes(
    run: Run,
    *,
    most: Annotated[int, "spikes, above which they recur; bench/thresholds.md#recurring"] = 2,
) -> Answer:
    """Loss spikes once or twice and recovers."""
    loss = loss_of(run)
    if loss is None or loss.blocks < FEWEST_BLOCKS:
        return CANNOT_TELL
    spikes = spikes_of(loss)
    recovered = [spike for spike in spikes if spike.last < len(loss) - 1]
    if not recovered or len(spikes) > most:
        return None
    worst = max(recovered, key=lambda spike: spike.height)
    first, last = float(loss.steps[worst.first]), float(loss.steps[worst.last])
    base, peak = loss.texts(worst.base, worst.value)
    rise = f"from {base} to {peak} at {loss.place(float(loss.steps[worst.peak]))}"
    several = f"loss spikes {len(recovered)} times and recovers (highest {rise})"
    says = f"loss spikes {rise} and recovers" if len(recovered) == 1 else several
    strength = linear(worst.height, over=max(loss.progress, worst.height))
    return Finding(strength, says, (loss.evidence((first, last), worst.value, worst.base),))


@sign(needs=(YARDSTICKS,), severity=Severity.WARNING, problem=Problem.UNSTABLE)
def spikes_recur(
    run: Run,
    *,
    fewest: Annotated[int, "spikes; bench/thresholds.md#recurring"] = 3,
    height: Annotated[float, "share of the progress undone; bench/thresholds.md#spike-height"] = 0.25,
) -> Answer:
    """Loss spikes repeatedly."""
    loss = loss_of(run)
    if loss is None or loss.blocks < FEWEST_BLOCKS:
        return CANNOT_TELL
    spikes = [spike for spike in spikes_of(loss) if spike.height > height * loss.progress]
    if len(spikes) < fewest:
        return None
    peaks = [float(loss.steps[spike.peak]) for spike in spikes]
    typical = float(np.median([spike.height for spike in spikes]))
    rhythm = _rhythm(np.array(peaks))
    often = f", about every {number(rhythm)} {loss.axis.value}s" if rhythm else ""
    says = f"{len(spikes)} loss spikes in {loss.stretch(peaks[0], peaks[-1])}{often}"
    says += f" (median height {number(typical)})"
    worst = max(spikes, key=lambda spike: spike.height)
    # Those that undo all progress weigh most, and so do those that keep a rhythm; a run that outgrew them is
    # warned, not ill.
    late = peaks[-1] > loss.steps[0] + LATE * (loss.steps[-1] - loss.steps[0])
    size = math.log2(1 + typical / max(loss.progress, TINY))
    strength = min(1.0, 1 / 2 + _DOUBLED * size + (_RHYTHMIC if rhythm else 0.0)) * (1.0 if late else MILD)
    return Finding(strength, says, (loss.evidence((peaks[0], peaks[-1]), worst.value, worst.base),))


def _rhythm(peaks: Floats) -> float | None:
    """The distance between spikes, where it is nearly constant."""
    gaps = np.diff(peaks)
    if len(gaps) < FEW:
        return None
    middle = float(np.median(gaps))
    return middle if float(np.median(np.abs(gaps - middle))) < CLEAR * middle else None


@sign(
    needs=((GRADIENT_NORM, TRAIN_LOSS), UPDATE_RATIO),
    severity=Severity.SERIOUS,
    healthy=-0.59,
    formerly="leaps_on_small_steps",
)
def spikes_without_large_updates(
    run: Run,
    *,
    leap: Annotated[float, "value over the median before; bench/thresholds.md#gradient-leap"] = 30.0,
    update: Annotated[float, "update over weight until then; bench/thresholds.md#gradient-leap"] = 0.05,
) -> Answer:
    """Loss or gradient norm jumps by orders of magnitude although updates are small."""
    series = [whole(run, quantity).finite for quantity in (GRADIENT_NORM, TRAIN_LOSS) if quantity in run]
    curves = [curve for curve in series if len(curve) > 1]
    if not curves or not any(learns(matrix.layer) for matrix in matrices(run, UPDATE_RATIO)):
        return CANNOT_TELL
    leaps = [_first_leap(run, curve, leap, update) for curve in curves]
    return next((finding for finding in leaps if finding is not None), None)


def _first_leap(run: Run, series: Series, leap: float, update: float) -> Finding | None:
    usual = _usual_before(series.values)
    with np.errstate(over="ignore"):  # a leap beyond all numbers is left out below
        factors = series.values[1:] / np.maximum(usual, TINY)
    beyond = np.flatnonzero((factors >= leap) & (usual > 0) & np.isfinite(factors))
    if not len(beyond):
        return None
    index = int(beyond[0])
    at, value = float(series.steps[index + 1]), float(series.values[index + 1])
    moved = _moved(run, at)
    if moved is None or moved > update:
        return None
    what = "gradient norm" if series.quantity is GRADIENT_NORM else "training loss"
    says = f"{what} jumps from {number(float(usual[index]))} to {number(value)} at step {at:,.0f}"
    says += f" after small updates (ratio to weights {number(moved)})"
    evidence = seen_in(series, value, leap * float(usual[index]), (at, at))
    last = float(series.steps[int(beyond[-1]) + 1])
    weight = MILD if outgrown(loss_of(run), last) else 1.0
    return Finding(weight * graded(float(factors[index]), leap, FAR * leap), says, (evidence,))


def _usual_before(values: Floats) -> Floats:
    """The median of the points before each but the first."""
    early = [float(np.median(values[:end])) for end in range(1, min(len(values), _BEFORE))]
    if len(values) <= _BEFORE:
        return np.array(early)
    windows = np.lib.stride_tricks.sliding_window_view(values[:-1], _BEFORE)
    return np.concatenate((early, np.median(windows, axis=1)))


def _moved(run: Run, at: float) -> float | None:
    """How far the typical layer moved in the steps looked at before the leap: later ones are its effect."""
    layers = [matrix for matrix in matrices(run, UPDATE_RATIO) if learns(matrix.layer)]
    before = [matrix.series.values[matrix.series.steps < at] for matrix in layers]
    known = [float(np.max(values)) for values in before if len(values)]
    return float(np.median(known)) if known else None


@sign(needs=(YARDSTICKS,), severity=Severity.WARNING, problem=Problem.UNSTABLE, healthy=-1.48)
def loss_oscillates(
    run: Run,
    *,
    swing: Annotated[float, "oscillation over all progress; bench/thresholds.md#swing"] = 0.5,
    excess: Annotated[float, "oscillation over what point noise explains; bench/thresholds.md#excess"] = 5.0,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 12,
) -> Answer:
    """Training loss oscillates widely in the second half."""
    loss = loss_of(run)
    if loss is None or len(loss) < points or loss.blocks < _BLOCKS:
        return CANNOT_TELL
    if is_certain(run, loss):
        return None
    late = slice(loss.blocks // 2, None)
    swings, worth = _swing(loss.level[late]), _worth(loss)
    # Batches that differ make single points jump; only levels that jump more than that show an oscillation.
    averaged = loss.width >= SHORT
    explained = MEDIAN_PRICE * float(np.median(loss.spread[late])) / np.sqrt(loss.width) if averaged else 0.0
    turns = _turns(loss.level[late])
    if swings < swing * worth or swings < excess * explained or turns < _TURNS:
        return None
    if not averaged and loss.axis is not Axis.EPOCH and not _validation_swings(run, swing):
        # Too few points to average the batches out: the swing may be theirs, not the network's.
        return CANNOT_TELL
    gained = f"total progress {number(loss.progress)}" if loss.progress else "no net progress"
    says = f"{loss.called} oscillates by {number(swings)} in the second half ({gained})"
    strength = min(1.0, swings / (2 * swing * worth))
    return Finding(strength, says, (loss.evidence(loss.since(1 / 2), loss.end),))


def _worth(loss: Curve) -> float:
    """What a swing is held against: all progress, or a quarter of the level where there was hardly any."""
    return max(loss.progress, _OF_LEVEL * loss.size)


def _swing(level: Floats) -> float:
    """From the lower to the upper side of the levels around their trend, one in ten left out."""
    around = level - running_median(level, _WINDOW)
    return float(np.quantile(around, 1 - SMALL) - np.quantile(around, SMALL))


def _turns(level: Floats) -> float:
    """The share of inner points where the curve changes its direction; 2/3 for pure noise."""
    moves = np.diff(level)
    return float(np.mean(moves[1:] * moves[:-1] < 0)) if len(moves) > 1 else 0.0


def _validation_swings(run: Run, swing: float) -> bool:
    """Whether the validation loss, which no batch makes noisy, swings as well."""
    if VAL_LOSS not in run:
        return False
    val = curve_of(whole(run, VAL_LOSS))
    return len(val) >= FEWEST_BLOCKS and _swing(val.level[val.blocks // 3 :]) > swing * _worth(val)


@sign(needs=(TRAIN_LOSS,), severity=Severity.WARNING, problem=Problem.UNSTABLE)
def noise_swamps_progress(
    run: Run,
    *,
    scatter: Annotated[float, "range of points (4 std) over the level; bench/thresholds.md#scatter"] = 0.7,
    gained: Annotated[float, "all progress over that range; bench/thresholds.md#scatter"] = 0.5,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 40,
) -> Answer:
    """Noise of the batch loss hides any progress."""
    loss = loss_of(run)
    # A loss that may be negative has no level of its own to hold a swing against.
    if loss is None or len(loss) < points or float(loss.values.min()) < 0:
        return CANNOT_TELL
    swing, level = SWING * loss.noise, abs(float(np.median(loss.level)))
    if swing <= scatter * level or loss.start - loss.end > gained * swing:
        return None
    gained = max(loss.start - loss.end, 0.0)
    says = (
        f"batch loss is {'mostly' if gained else 'pure'} noise ({number(level)} ± {number(loss.noise)} std)"
    )
    says += f"; net progress {number(gained)}" if gained else "; no net progress"
    evidence = loss.evidence(loss.all_steps, loss.end)
    return Finding(min(1.0, swing / (2 * scatter * max(level, TINY))), says, (evidence,))


@sign(needs=(YARDSTICKS,), severity=Severity.WARNING, problem=Problem.UNSTABLE)
@needs_beginning
def loss_leaps_above_start(
    run: Run,
    *,
    above: Annotated[float, "jump above the start over the level; bench/thresholds.md#leap"] = 0.5,
) -> Answer:
    """Loss jumps far above its initial value."""
    loss = loss_of(run)
    # The start of a loss that may be negative says nothing of how wrong a network can be.
    if loss is None or loss.blocks < FEWEST_BLOCKS or loss.floorless:
        return CANNOT_TELL
    leaps = [spike for spike in spikes_of(loss) if spike.value > loss.start + above * loss.size]
    if not leaps:
        return None
    highest = max(leaps, key=lambda spike: spike.value)
    where = (float(loss.steps[highest.first]), float(loss.steps[highest.last]))
    start, peak = loss.texts(loss.start, highest.value)
    says = f"{loss.called} starts at {start} and jumps to {peak}"
    says += f" at {loss.place(float(loss.steps[highest.peak]))}"
    # A run that comes down well below its start in the end has survived the leap.
    survived = loss.end < loss.start - loss.size / 2
    strength = min(1.0, MILD + FAINT * (highest.value - loss.start) / loss.size) * (MILD if survived else 1.0)
    evidence = loss.evidence(where, highest.value, loss.start + above * loss.size)
    return Finding(strength, says, (evidence,))
