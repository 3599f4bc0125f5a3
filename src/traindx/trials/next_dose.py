"""What a trial suggests to try next: another dose, or the same at a lower rate."""

from dataclasses import replace

from traindx.changes.types import ChangeSpec
from traindx.trials.effect import PROMISING, gain, gain_of, rank
from traindx.trials.types import Candidate, Measure, Pair, Trial

_RATE, _TENFOLD = "optimizer.lr", 10.0
_DOSED = (_RATE, "loader.batch_size", "regularize.weight_decay", "gradients.clip")
"""Changes by a factor, of which more or less may be better."""
_STEADY = ChangeSpec(_RATE, ("x", "0.3"))
"""What a change is tried with that learns where it does not break: it may need a lower rate."""
_RUINED = -0.9
"""A pair whose treated arm is so much worse broke, although its numbers are finite."""


def next_dose(planned: Candidate, trial: Trial, before: Trial | None) -> Candidate | None:
    """What to try after a trial, which may have been suggested by one before it."""
    if not trial.counted:
        return None
    return _next_dose(planned, trial, before) or _steadied(planned, trial)


def _next_dose(planned: Candidate, trial: Trial, before: Trial | None) -> Candidate | None:
    """More of what helped, as long as more helps more, and of a rate that shows nothing; less of too much."""
    change = planned.changes[0]
    if len(planned.changes) > 1 or change.name not in _DOSED or not change.is_factor:
        return None
    factor = change.number
    better = gain_of(trial)
    if better >= PROMISING and (before is None or _helps_more(trial, before)):
        times = _TENFOLD if change.name == _RATE else max(factor, 1 / factor)
        factor *= times if factor > 1 else 1 / times
    elif before is not None:
        return None
    elif better <= -PROMISING:
        factor = factor**0.5
    elif change.name == _RATE:
        # A rate that is off by far more than that shows nothing yet.
        factor *= _TENFOLD if factor > 1 else 1 / _TENFOLD
    else:
        return None
    # Two digits, and 100 rather than 1e+02.
    dose = ChangeSpec(change.name, ("x", f"{float(f'{factor:.2g}'):g}"))
    title = planned.title.removesuffix(f" ({change})")
    return replace(planned, changes=(dose,), title=f"{title} ({dose})")


def _helps_more(trial: Trial, before: Trial) -> bool:
    """Whether more is still better; where the dose before was too much, the way further leads back to it."""
    return gain_of(before) >= PROMISING and rank(trial) < rank(before)


def _steadied(planned: Candidate, trial: Trial) -> Candidate | None:
    """The same at a lower rate, where a change breaks with some seed what did not break without it."""
    is_rate = any(one.name == _RATE for one in planned.changes)
    if is_rate or not any(_is_broken_by(pair, trial.measure) for pair in trial.counted):
        return None
    title = f"{planned.title}, at a lower rate"
    return replace(planned, changes=(*planned.changes, _STEADY), title=title)


def _is_broken_by(pair: Pair, measure: Measure) -> bool:
    # Where it stopped with an error, a lower rate does not make the change fit.
    return not pair.treated.problem and gain([pair], measure) <= _RUINED
