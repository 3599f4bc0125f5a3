"""What an arm is compared by; and from pairs of arms to what a change did, with an interval and its worth."""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from traindx import quantities as q
from traindx.changes.types import Measure
from traindx.curves.series import whole
from traindx.format import count
from traindx.run import Quantity, Run
from traindx.trials.types import Arm, Outcome, Pair, counted_pairs

TAIL = 0.15
"""The last part of a curve, whose mean is its end."""
_ACCURACIES = (Measure.VALIDATION_ERROR, Measure.ERROR)
_FIRST = 5
"""Points whose median is where a curve begins."""
_CURVES: dict[Measure, tuple[Quantity, bool]] = {
    Measure.LOSS: (q.TRAIN_LOSS, False),
    Measure.LOSS_SIZE: (q.TRAIN_LOSS, False),
    Measure.VALIDATION_LOSS: (q.VAL_LOSS, False),
    Measure.ERROR: (q.TRAIN_ACCURACY, True),
    Measure.VALIDATION_ERROR: (q.VAL_ACCURACY, True),
    Measure.BALANCED_ERROR: (q.PREDICTION_RECALL, True),
    Measure.SPEED: (q.STEP_TIME, False),
}
"""The quantity behind a measure, and whether it counts what is right and not what is wrong."""


def can_measure(run: Run, measure: Measure) -> bool:
    """Whether a run shows what it would be compared by."""
    return _CURVES[measure][0] in run


def curve(run: Run, measure: Measure) -> tuple[tuple[float, float], ...]:
    """Steps and values of what a run is compared by."""
    quantity, turned = _CURVES[measure]
    if quantity not in run:
        return ()
    series = whole(run, quantity)
    values = 1 - series.values if turned else series.values
    if measure is Measure.SPEED:
        values = 1 / np.maximum(values, 1e-9)
    if measure is Measure.LOSS_SIZE:
        values = np.abs(values)
    return tuple(zip(series.steps.tolist(), values.tolist(), strict=True))


def end(run: Run, measure: Measure, until: float | None = None) -> float | None:
    """The mean of the last part, up to a step; infinite where that is no number, None if unknown."""
    points = [(step, value) for step, value in curve(run, measure) if until is None or step <= until]
    if not points:
        return None
    values = np.array([value for _, value in points])
    if measure is Measure.SPEED:
        # The first steps warm up, and a stall of the machine is not the program's.
        return float(np.median(values[len(values) // 5 :]))
    tail = values[-max(1, math.ceil(TAIL * len(values))) :]
    return float(tail.mean()) if np.isfinite(tail).all() else math.inf


def start_of(points: Sequence[tuple[float, float]]) -> float | None:
    """The median of the first points; None where there are none that are finite."""
    values = [value for _, value in points[:_FIRST] if math.isfinite(value)]
    return float(np.median(values)) if values else None


def untrained(run: Run) -> float | None:
    """The training loss before anything was learned; None where there is none.

    Not the median of the first points where these run away: it is a part of the failure.
    """
    points = curve(run, Measure.LOSS)
    first, usual = next((value for _, value in points if math.isfinite(value)), None), start_of(points)
    return None if first is None or usual is None else first if usual > 2 * abs(first) else usual


def steps_of(run: Run) -> int:
    """How many steps a run took."""
    return int(max((float(one.steps[-1]) for one in run.series if len(one)), default=0.0))


def accuracy(run: Run, until: float | None = None) -> float | None:
    """The accuracy at the end, or at a step; on validation data where there is some."""
    for measure in _ACCURACIES:
        wrong = end(run, measure, until)
        if wrong is not None and math.isfinite(wrong):
            return 1 - wrong
    return None


def accuracies(run: Run) -> tuple[tuple[float, float], ...]:
    """The same over steps."""
    measure = next((one for one in _ACCURACIES if can_measure(run, one)), None)
    return tuple((step, 1 - wrong) for step, wrong in curve(run, measure)) if measure else ()


_QUANTILES = {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 6: 2.447, 7: 2.365, 8: 2.306, 9: 2.262}
"""Student's t, 97.5%, by degrees of freedom."""
_NORMAL, _FIRST_ORDER, _SECOND_ORDER = 1.960, 2.372, 2.823
"""Of the normal distribution, and the first terms in one over the degrees of freedom (Fisher's expansion)."""
_MATERIAL = 0.05
"""Of the larger of both: a smaller difference is none that anyone would change a program for."""
_LEAST_ERROR = 0.01
"""The same for shares of wrong answers, in absolute terms."""
_LEAST_OF_START = 0.005
"""The same for losses, of where the loss began: below it both arms have learned what there is."""
_ERRORS = (Measure.ERROR, Measure.VALIDATION_ERROR, Measure.BALANCED_ERROR)
_LOSSES = (Measure.LOSS, Measure.LOSS_SIZE, Measure.VALIDATION_LOSS)

Interval = tuple[float, float]


@dataclass(frozen=True)
class Effect:
    """What came out of some pairs."""

    mean: float | None
    """The difference, treated minus control; None where an arm ends in no number."""
    interval: Interval | None
    gain: float | None
    """How much better the treated arms are, from -1 to 1; None where no pair counts."""
    gain_interval: Interval | None
    outcome: Outcome
    says: str


def effect_of(pairs: Sequence[Pair], measure: Measure) -> Effect:
    """The paired difference, treated minus control, and what it says."""
    counted = counted_pairs(pairs)
    if not counted:
        why = next((arm.problem for pair in pairs for arm in (pair.treated, pair.control) if arm.problem), "")
        says = why or "no pair of runs could be measured"
        return Effect(None, None, None, None, Outcome.INCONCLUSIVE, says)
    shares = [_share(pair, measure) for pair in counted]
    better, span = statistics.fmean(shares), _interval(shares)
    if span is not None:
        # No further than shares can go.
        span = max(-1.0, span[0]), min(1.0, span[1])
    finite = all(_is_finite(pair) for pair in counted)
    differences = [_value(pair.treated) - _value(pair.control) for pair in counted] if finite else []
    outcome = Outcome.NO_DIFFERENCE
    if abs(better) >= _MATERIAL and not (finite and _is_slight(counted, differences, measure)):
        outcome = _outcome(span)
    too_high = _ends_too_high(counted) if outcome is Outcome.HELPED and measure in _COMPARABLE else ""
    outcome = Outcome.INCONCLUSIVE if too_high else outcome
    return Effect(
        mean=statistics.fmean(differences) if finite else None,
        interval=_interval(differences) if finite else None,
        gain=better,
        gain_interval=span,
        outcome=outcome,
        says=f"better, but every treated run ends {too_high}"
        if too_high
        else _says(counted, shares, outcome, finite=finite),
    )


_COMPARABLE = (Measure.LOSS, Measure.VALIDATION_LOSS)
"""Measures after which the training loss means what it meant at the first step."""


def _ends_too_high(pairs: Sequence[Pair]) -> str:
    """Above what all treated runs end; empty unless they end worse than something that learned nothing."""
    treated = [pair.treated for pair in pairs]
    if all(_exceeds(arm.loss, _start(pair)) for arm, pair in zip(treated, pairs, strict=True)):
        return "above the loss that the untreated program starts with"
    if all(_exceeds(arm.loss, arm.chance) for arm in treated):
        return "above the loss of a constant prediction"
    return ""


def _exceeds(loss: float | None, bound: float | None) -> bool:
    return loss is not None and bound is not None and loss - bound > _MATERIAL * abs(bound)


def _start(pair: Pair) -> float | None:
    """What a pair starts with; the lower of both, where the change alters that."""
    return min((arm.start for arm in (pair.control, pair.treated) if arm.start is not None), default=None)


def gain(pairs: Sequence[Pair], measure: Measure) -> float:
    """How much better the treated arms are, from -1 to 1; 0 where nothing was measured."""
    shares = [_share(pair, measure) for pair in counted_pairs(pairs)]
    return statistics.fmean(shares) if shares else 0.0


def _share(pair: Pair, measure: Measure) -> float:
    """The gain of one pair over the larger of both: one arm that runs away does not hide the others."""
    control, treated = _value(pair.control), _value(pair.treated)
    if not math.isfinite(control) or not math.isfinite(treated):
        return float(math.isfinite(treated)) - float(math.isfinite(control))
    larger = max(abs(control), abs(treated))
    share = (control - treated) / larger if larger else 0.0
    return max(-1.0, min(1.0, -share if measure.is_better_higher else share))


def _is_slight(pairs: Sequence[Pair], differences: Sequence[float], measure: Measure) -> bool:
    """Whether a difference is nothing to anyone, large as it may be against two small numbers."""
    mean = abs(statistics.fmean(differences))
    if measure in _ERRORS:
        return mean < _LEAST_ERROR
    if measure not in _LOSSES:
        return False
    begun = [start_of(pair.control.curve) for pair in pairs]
    starts = [value for value in begun if value is not None]
    return bool(starts) and mean < _LEAST_OF_START * abs(statistics.fmean(starts))


def _interval(values: Sequence[float]) -> Interval | None:
    if len(values) < 2:
        return None
    mean, freedom = statistics.fmean(values), len(values) - 1
    wide = _quantile(freedom) * statistics.stdev(values) / math.sqrt(len(values))
    return mean - wide, mean + wide


def _quantile(freedom: int) -> float:
    far = _NORMAL + _FIRST_ORDER / freedom + _SECOND_ORDER / freedom**2
    return _QUANTILES.get(freedom, far)


def _outcome(interval: Interval | None) -> Outcome:
    if interval is None:
        return Outcome.INCONCLUSIVE
    low, high = interval
    if low > 0:
        return Outcome.HELPED
    return Outcome.WORSE if high < 0 else Outcome.INCONCLUSIVE


def _says(counted: Sequence[Pair], shares: Sequence[float], outcome: Outcome, *, finite: bool) -> str:
    says = _seeds(shares, outcome)
    if finite:
        return says
    control = sum(not math.isfinite(_value(pair.control)) for pair in counted)
    treated = sum(not math.isfinite(_value(pair.treated)) for pair in counted)
    stopped = next((pair.treated.problem for pair in counted if pair.treated.problem), "")
    if stopped:
        return f"{says}; treated run failed: {stopped}"
    runs = len(counted)
    ends = f"{control} of {count(runs, 'control run')} and {treated} of {count(runs, 'treated run')}"
    broke = f"NaN or infinity in {ends}"
    return broke if control == treated == runs else f"{says}; {broke}"


def _seeds(shares: Sequence[float], outcome: Outcome) -> str:
    """In how many seeds the treated run is better, or worse if it is better in none."""
    better, is_open = sum(one > 0 for one in shares), outcome is Outcome.INCONCLUSIVE
    if is_open and len(shares) == 1:
        return "better in one run, not proven" if better else "worse (1 seed)"
    is_worse = outcome is Outcome.WORSE or (is_open and not better)
    word, number = ("worse", sum(one < 0 for one in shares)) if is_worse else ("better", better)
    return f"{word} in {number} of {count(len(shares), 'seed')}" + (", not proven" if is_open else "")


def _value(arm: Arm) -> float:
    assert arm.value is not None
    return arm.value


def _is_finite(pair: Pair) -> bool:
    return math.isfinite(_value(pair.control)) and math.isfinite(_value(pair.treated))
