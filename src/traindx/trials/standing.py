"""How changes that were tried stand against each other: what is promising, proven, enough, and the best."""

import math
from collections.abc import Iterable

from traindx.trials.types import Outcome, Trial

PROMISING = 0.08
"""Better by this share with the first seed: worth the other seeds."""
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
    rivals = [one for one in trials if is_healed(one) and not costs_answers(one)]
    return not says_nothing and all(one.outcome in _REFUTED for one in rivals)


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


def rank(trial: Trial) -> tuple[Standing, float, float]:
    """By its standing, then by gain; where gains are alike, as in a program that broke, by where arms end."""
    ended = trial.treated or 0.0
    return (
        standing(trial),
        -round(gain_of(trial), 2),
        -ended if trial.measure.is_better_higher else ended,
    )
