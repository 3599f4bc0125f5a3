"""Whether a stretch of a log goes on from the one before it.

step 480 loss 0.71
step 420 loss 0.75   back to a checkpoint, the loss is where it was at that step: the same run, resumed

step 480 loss 0.71
step 20  loss 2.29   the steps start over, and so does the loss: another run

step 480 loss 0.71
step 20  loss 0.70   the steps start over and the loss does not: a run of its own, resumed from the first

step 480 loss 0.71
step 420 loss 1.60   back to a checkpoint, and the loss jumps: a run of its own that lost state
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np

from traindx.curves.series import robust_sigma
from traindx.quantities import LEARNING_RATE, REWARD, TRAIN_LOSS, VAL_LOSS
from traindx.run import Axis, Floats, Run, Series, Split

_WINDOW = 5
"""Points whose median is a level."""
_BEFORE = 2
"""Fewest points before the step of a checkpoint; with fewer the steps start over."""
_INTERVALS = 1.5
"""Logging intervals within which a first step is the first that is logged."""
_NOISES = 3.0
"""Noises of a point by which two levels may differ."""
_SHARE_OF_FALL = 0.15
"""Share of what the loss had fallen by which two levels may differ."""
_SHARE_OF_LEVEL = 0.02
"""Share of the level by which two levels may differ: rounding, and dropout that is drawn anew."""
_FEW = 3
"""Points of which most must have the learning rate from before: the first one may still be set by hand."""
_RATE = 1.5
"""Factor by which the learning rate may differ: a schedule that is logged seldom."""
_LATE_STEPS, _LATE_EPOCHS = 50, 5
"""Logging intervals without a record before a first step or epoch that is not the first of a run."""


class Relation(Enum):
    """What a stretch of a log is to the one before it."""

    SAME = "the same run"
    RESUMED = "another run, resumed from the one before"
    ANEW = "another run, from scratch"


@dataclass(frozen=True)
class Seam:
    """How a stretch relates to the one before it, and what was left there."""

    relation: Relation
    step: float = 0.0
    loss_before: float | None = None
    rate_before: float | None = None


def seam_between(before: Sequence[Series], after: Sequence[Series]) -> Seam:
    """Compare what a log wrote before its steps went back with what it wrote afterwards."""
    if _measured(before) and (not _measured(after) or (_trains(before) and not _trains(after))):
        # An evaluation belongs to the training before it, and so does what measures nothing.
        return Seam(Relation.SAME)
    earlier = {identity_of(s): s for s in before}
    shared = [(earlier[identity_of(s)], s) for s in after if identity_of(s) in earlier]
    measured = [pair for pair in shared if _measures(pair[0]) and _measures(pair[1])]
    if not measured and (_measured(before) or not shared):
        return Seam(Relation.ANEW if _measured(before) else Relation.SAME)
    series, after_it = max(measured or shared, key=lambda pair: _weight(pair[1]))
    if not measured or not len(series.finite) or not len(after_it.finite):
        return Seam(Relation.ANEW if _starts_over(series, after_it) else Relation.SAME)
    return _seam(series.finite, after_it.finite, *_rates(before, after))


def starts_late(run: Run) -> float | None:
    """The first step of a run that began long before its first record; None if it did not."""
    measured = [s for s in _measured(run.series) if s.axis is not Axis.RECORD and len(s) > _WINDOW]
    if not measured:
        return None
    longest = max(measured, key=len)
    first = min(float(s.steps[0]) for s in measured if s.axis is longest.axis)
    late = _LATE_EPOCHS if longest.axis is Axis.EPOCH else _LATE_STEPS
    least = late * max(_interval(longest), longest.axis is Axis.EPOCH)
    if REWARD in run:
        # Off-policy learning fills its memory before the first update, which takes a part of the run.
        least = max(least, float(longest.steps[-1] - longest.steps[0]))
    return first if first >= least else None


def _measures(series: Series) -> bool:
    """Whether a series tells how a training goes."""
    return series.quantity.split is not None or series.quantity == REWARD


def _measured(series: Sequence[Series]) -> list[Series]:
    return [s for s in series if _measures(s)]


def _trains(series: Sequence[Series]) -> bool:
    return any(s.quantity.split in (Split.TRAIN, None) for s in _measured(series))


def identity_of(series: Series) -> tuple[object, ...]:
    """What tells a series from the others of its run."""
    return series.quantity, series.part, series.layer, series.axis


def _weight(series: Series) -> tuple[int, bool, int]:
    """How much a series tells: a training loss most, and of it the whole."""
    leading = (VAL_LOSS, TRAIN_LOSS)
    rank = leading.index(series.quantity) + 1 if series.quantity in leading else 0
    return rank, not series.part, len(series)


def _rates(before: Sequence[Series], after: Sequence[Series]) -> tuple[Series | None, Series | None]:
    """The learning rate before and after, of the same group of parameters."""
    earlier = {identity_of(s): s.finite for s in before if s.quantity == LEARNING_RATE and len(s.finite)}
    pairs = [
        (earlier[identity_of(s)], s.finite) for s in after if identity_of(s) in earlier and len(s.finite)
    ]
    return max(pairs, key=lambda pair: len(pair[1]), default=(None, None))


def _seam(before: Series, after: Series, rates: Series | None, rates_after: Series | None) -> Seam:
    first = float(after.steps[0])
    over = _starts_over(before, after)
    then = len(before) if over else int(np.searchsorted(before.steps, first))
    level = _median(before.values[max(then - _WINDOW, 0) : then + (0 if over else _WINDOW)])
    start, now = _median(before.values[:_WINDOW]), _median(after.values[:_WINDOW])
    near = max(
        _NOISES * _noise(before.values), _SHARE_OF_FALL * abs(start - level), _SHARE_OF_LEVEL * abs(level)
    )
    agrees = abs(now - level) <= near
    rate = _rate_at(rates, np.inf if over else first) if rates is not None else None
    if over:
        resumed = agrees and abs(start - level) > 2 * near
        return Seam(Relation.RESUMED, first, level, rate) if resumed else Seam(Relation.ANEW)
    same_rate = rates is None or rates_after is None or _continues(rates, rates_after)
    return Seam(Relation.SAME if agrees and same_rate else Relation.RESUMED, first, level, rate)


def _starts_over(before: Series, after: Series) -> bool:
    """Whether a stretch begins where a run begins, and not at a checkpoint in what came before."""
    first = float(after.steps[0])
    if int(np.count_nonzero(before.steps < first)) < _BEFORE:
        return True
    return len(after) > 1 and first <= _INTERVALS * _interval(after)


def _interval(series: Series) -> float:
    return float(np.median(np.diff(series.steps)))


def _median(values: Floats) -> float:
    return float(np.median(values))


def _noise(values: Floats) -> float:
    """The noise of a point: half of the variance between neighbors."""
    return robust_sigma(np.diff(values)) / float(np.sqrt(2))


def _rate_at(rates: Series, step: float) -> float:
    return float(np.interp(step, rates.steps, rates.values))


def _continues(rates: Series, after: Series) -> bool:
    """Whether most of the first rates are those of the same steps before, or the last one before."""
    then = np.interp(after.steps[:_FEW], rates.steps, rates.values)
    now = after.values[:_FEW]
    return bool(np.mean(np.maximum(then, now) <= _RATE * np.minimum(then, now)) > 1 / 2)
