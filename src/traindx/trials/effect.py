"""From pairs of arms to what a change did, with an interval."""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from traindx.trial import Measure, Outcome, Pair
from traindx.wording import count

_QUANTILES = {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 6: 2.447, 7: 2.365, 8: 2.306, 9: 2.262}
"""Student's t, 97.5 %, by degrees of freedom."""
_MATERIAL = 0.05
"""Of the control: a smaller difference is none that anyone would change a program for."""
_LEAST_ERROR = 0.01
"""The same for shares of wrong answers, in absolute terms."""
_ERRORS = (Measure.ERROR, Measure.VALIDATION_ERROR, Measure.BALANCED_ERROR)


@dataclass(frozen=True)
class Effect:
    """What came out of some pairs."""

    mean: float | None
    interval: tuple[float, float] | None
    outcome: Outcome
    says: str


def effect_of(pairs: Sequence[Pair], measure: Measure) -> Effect:
    """The paired difference, treated minus control, and what it says."""
    counted = [pair for pair in pairs if pair.control.value is not None and pair.treated.value is not None]
    if not counted:
        why = next((arm.problem for pair in pairs for arm in (pair.treated, pair.control) if arm.problem), "")
        return Effect(None, None, Outcome.INCONCLUSIVE, why or "no pair of arms could be measured")
    broken = [pair for pair in counted if not _is_finite(pair)]
    if broken:
        return _of_broken(counted, broken)
    sign = -1 if measure.is_better_higher else 1
    differences = [_value(pair.treated.value) - _value(pair.control.value) for pair in counted]
    mean = statistics.fmean(differences)
    interval = _interval(differences)
    level = abs(statistics.fmean(_value(pair.control.value) for pair in counted))
    least = max(_MATERIAL * level, _LEAST_ERROR if measure in _ERRORS else 0.0)
    outcome = _outcome(sign * mean, interval, sign, least)
    better = sum(sign * one < 0 for one in differences)
    return Effect(mean, interval, outcome, f"better with {better} of {count(len(counted), 'seed')}")


def _interval(differences: Sequence[float]) -> tuple[float, float] | None:
    if len(differences) < 2:
        return None
    mean, freedom = statistics.fmean(differences), len(differences) - 1
    wide = _QUANTILES.get(freedom, 1.96) * statistics.stdev(differences) / math.sqrt(len(differences))
    return mean - wide, mean + wide


def _outcome(turned: float, interval: tuple[float, float] | None, sign: int, least: float) -> Outcome:
    """`turned` is the mean difference, negative where it is better."""
    if abs(turned) < least:
        return Outcome.NO_DIFFERENCE
    if interval is None:
        return Outcome.INCONCLUSIVE
    low, high = sorted(sign * end for end in interval)
    if high < 0:
        return Outcome.HELPED
    return Outcome.WORSE if low > 0 else Outcome.INCONCLUSIVE


def _of_broken(counted: Sequence[Pair], broken: Sequence[Pair]) -> Effect:
    """Where an arm ends in no number: who breaks more often."""
    control = sum(not math.isfinite(_value(pair.control.value)) for pair in broken)
    treated = sum(not math.isfinite(_value(pair.treated.value)) for pair in broken)
    pairs = count(len(counted), "seed")
    says = f"ends in NaN or infinity without the change with {control} of {pairs}, with it with {treated}"
    if control == treated:
        return Effect(
            None, None, Outcome.NO_DIFFERENCE if control == len(counted) else Outcome.INCONCLUSIVE, says
        )
    clear = len(counted) >= 2 and abs(control - treated) == len(counted)
    if not clear:
        return Effect(None, None, Outcome.INCONCLUSIVE, says)
    return Effect(None, None, Outcome.HELPED if treated < control else Outcome.WORSE, says)


def gain(pairs: Sequence[Pair], measure: Measure) -> float:
    """How much better the treated arms are, as a share of the control; to rank changes by."""
    found = []
    for pair in pairs:
        if pair.control.value is None or pair.treated.value is None:
            continue
        control, treated = pair.control.value, pair.treated.value
        if not math.isfinite(control) or not math.isfinite(treated):
            found.append(float(math.isfinite(treated)) - float(math.isfinite(control)))
        elif measure.is_better_higher:
            found.append(1 - control / treated if treated else 0.0)
        else:
            found.append((control - treated) / abs(control) if control else 0.0)
    return statistics.fmean(found) if found else 0.0


def _value(value: float | None) -> float:
    assert value is not None
    return value


def _is_finite(pair: Pair) -> bool:
    return math.isfinite(_value(pair.control.value)) and math.isfinite(_value(pair.treated.value))
