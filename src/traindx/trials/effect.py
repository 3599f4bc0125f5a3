"""From pairs of arms to what a change did, with an interval, and how changes stand against each other."""

import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from traindx.changes.types import Measure
from traindx.format import count
from traindx.trials.measurement import start_of
from traindx.trials.types import PROMISING, Arm, Outcome, Pair, Trial, counted_pairs

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
    """How much better the treated arms are, from -1 to 1; 0 where all end too high to be of use to anyone.

    None where no pair counts.
    """
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
    too_high = _ends_too_high(counted) if better > 0 and measure in _COMPARABLE else ""
    if too_high:
        # Better than NaN, and not worth another seed.
        outcome, better = Outcome.INCONCLUSIVE, 0.0
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
    better, is_open = sum(share > 0 for share in shares), outcome is Outcome.INCONCLUSIVE
    if is_open and len(shares) == 1:
        return "better in one run, not proven" if better else "worse (1 seed)"
    is_worse = outcome is Outcome.WORSE or (is_open and not better)
    word, number = ("worse", sum(share < 0 for share in shares)) if is_worse else ("better", better)
    return f"{word} in {number} of {count(len(shares), 'seed')}" + (", not proven" if is_open else "")


def _value(arm: Arm) -> float:
    assert arm.value is not None
    return arm.value


def _is_finite(pair: Pair) -> bool:
    return math.isfinite(_value(pair.control)) and math.isfinite(_value(pair.treated))


_CLEAR, _WHOLE = 0.5, 0.9
"""A win by the first share ends the search if the treated run is healthy, by the second anyhow."""
_HEALTHY = 0.5
_REFUTED = (Outcome.NO_DIFFERENCE, Outcome.WORSE)
_ANSWERS = 0.01
"""Right answers that a lower loss may cost, as a share of all: a validation error has no more digits."""


def gain_of(trial: Trial) -> float:
    """How much better the treated arms are, from -1 to 1; 0 where nothing was measured."""
    return trial.gain or 0.0


def is_refused(trial: Trial) -> bool:
    """Whether the change could not be applied to the program."""
    return any(pair.treated.refused for pair in trial.pairs)


def is_promising(trial: Trial) -> bool:
    """Whether a trial of one pair is worth more of them."""
    return gain_of(trial) >= PROMISING


def is_healed(trial: Trial) -> bool:
    """Whether the diagnosis of the treated run calls it healthy."""
    return (trial.healthy_after or 0.0) >= _HEALTHY


def is_proven(trial: Trial, trials: Iterable[Trial]) -> bool:
    """Whether a change may win: not where it leaves a run sick that another one makes healthy.

    Where an arm ran away, the difference may say nothing and the shares much: then health must tell as well.
    """
    if trial.outcome is not Outcome.HELPED:
        return False
    if is_healed(trial):
        return True
    says_nothing = trial.interval is not None and trial.interval[0] <= 0 <= trial.interval[1]
    rivals = [other for other in trials if is_healed(other) and not costs_answers(other)]
    return not says_nothing and all(other.outcome in _REFUTED for other in rivals)


def is_whole_repair(trial: Trial) -> bool:
    """Whether nothing better need be looked for, if it holds with other seeds as well."""
    if costs_answers(trial):
        return False
    if is_healed(trial):
        return gain_of(trial) >= _CLEAR
    # Where the program broke, any number is the largest gain there is, and says little.
    is_finite = all(math.isfinite(pair.control.value or 0.0) for pair in trial.counted)
    return is_finite and gain_of(trial) >= _WHOLE


def wins_clearly(trial: Trial) -> bool:
    """Whether a proven change ends the search."""
    return trial.outcome is Outcome.HELPED and is_whole_repair(trial)


def costs_answers(trial: Trial) -> bool:
    """Whether a lower loss comes with a lower accuracy."""
    return trial.metrics is not None and trial.metrics[0] - trial.metrics[1] > _ANSWERS


Standing = tuple[bool, bool, float]
"""What decides between two changes before their effect does; the lower is the better."""


def standing(trial: Trial) -> Standing:
    """By what the diagnosis says of the treated run, then by how likely the cause is that it is meant for."""
    return costs_answers(trial), not is_healed(trial), -round(trial.confidence, 2)


def rank(trial: Trial) -> tuple[Standing, float, bool, float, float]:
    """By its standing, then by gain; of two whole repairs the one comes first that can be written as a patch.

    Where gains are alike, as in a program that broke, by where arms end.
    """
    ended = trial.treated or 0.0
    return (
        standing(trial),
        -min(round(gain_of(trial), 2), _WHOLE),
        not trial.is_written,
        -round(gain_of(trial), 2),
        -ended if trial.measure.is_better_higher else ended,
    )
