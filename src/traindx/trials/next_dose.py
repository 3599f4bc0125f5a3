"""What a trial suggests to try next: another dose, or the same at a lower rate."""

from dataclasses import replace

from traindx.changes.types import ChangeSpec, Measure, change_of, known_changes
from traindx.trials.effect import PROMISING, gain, gain_of, rank
from traindx.trials.types import Candidate, Pair, Trial

_RUINED = -0.9
"""A pair whose treated arm is so much worse broke, although its numbers are finite."""


def next_dose(candidate: Candidate, trial: Trial, before: Trial | None) -> Candidate | None:
    """What to try after a trial, which may have been suggested by one before it."""
    if not trial.counted:
        return None
    return _next_dose(candidate, trial, before) or _steadied(candidate, trial)


def _next_dose(candidate: Candidate, trial: Trial, before: Trial | None) -> Candidate | None:
    """More of what helped, as long as more helps more, and of a rate that shows nothing; less of too much."""
    spec = candidate.changes[0]
    doses = change_of(spec).doses
    if len(candidate.changes) > 1 or doses is None or not spec.is_factor:
        return None
    factor = spec.number
    times = doses.step or max(factor, 1 / factor)
    better = gain_of(trial)
    if better >= PROMISING and (before is None or _helps_more(trial, before)):
        factor *= times if factor > 1 else 1 / times
    elif before is not None:
        return None
    elif better <= -PROMISING:
        factor = factor**0.5
    elif doses.is_searched:
        # What is off by far more than that shows nothing yet.
        factor *= times if factor > 1 else 1 / times
    else:
        return None
    # Two digits, and 100 rather than 1e+02.
    dose = ChangeSpec(spec.name, ("x", f"{float(f'{factor:.2g}'):g}"))
    title = candidate.title.removesuffix(f" ({spec})")
    return replace(candidate, changes=(dose,), title=f"{title} ({dose})")


def _helps_more(trial: Trial, before: Trial) -> bool:
    """Whether more is still better; where the dose before was too much, the way further leads back to it."""
    return gain_of(before) >= PROMISING and rank(trial) < rank(before)


def _steadied(candidate: Candidate, trial: Trial) -> Candidate | None:
    """The same at a lower rate, where a change breaks with some seed what did not break without it."""
    steady = _steadying()
    is_lowered = any(spec.name == steady.name for spec in candidate.changes)
    if is_lowered or not any(_is_broken_by(pair, trial.measure) for pair in trial.counted):
        return None
    title = f"{candidate.title}, at a lower rate"
    return replace(candidate, changes=(*candidate.changes, steady), title=title)


def _steadying() -> ChangeSpec:
    """What a change is tried with that breaks the training: it may learn where that steadies it."""
    change = next(one for one in known_changes().values() if one.doses and one.doses.steadies)
    assert change.doses is not None
    return ChangeSpec(change.name, ("x", f"{change.doses.steadies:g}"))


def _is_broken_by(pair: Pair, measure: Measure) -> bool:
    # Where it stopped with an error, a lower rate does not make the change fit.
    return not pair.treated.problem and gain([pair], measure) <= _RUINED
