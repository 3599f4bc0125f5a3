"""What a trial is worth: whether it promises something, wins clearly, or costs what it should not."""

import math

from traindx.trials.types import Outcome, Trial

PROMISING = 0.08
"""Better by this share with the first seed: worth the other seeds."""
_CLEAR, _WHOLE = 0.5, 0.9
"""A win by the first share ends the search if the treated run is healthy, by the second anyhow."""
_HEALTHY = 0.5
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


def is_whole_repair(trial: Trial) -> bool:
    """Whether nothing better need be looked for, if it holds with other seeds as well."""
    if costs_answers(trial):
        return False
    if (trial.healthy_after or 0.0) >= _HEALTHY:
        return gain_of(trial) >= _CLEAR
    # Where the program broke, any number is the largest gain there is, and says little.
    is_finite = all(math.isfinite(pair.control.value or 0.0) for pair in trial.counted)
    return is_finite and gain_of(trial) >= _WHOLE


def wins_clearly(trial: Trial) -> bool:
    """Whether a proven change ends the search."""
    return trial.outcome is Outcome.HELPED and is_whole_repair(trial)


def costs_answers(trial: Trial) -> bool:
    """Whether a lower loss comes with fewer right answers."""
    return trial.metrics is not None and trial.metrics[0] - trial.metrics[1] > _ANSWERS


def rank(trial: Trial) -> tuple[bool, float, float]:
    """By gain; by where the treated arms end where gains are alike, as they are where the program broke."""
    ended = trial.treated or 0.0
    return (
        costs_answers(trial),
        -round(gain_of(trial), 2),
        -ended if trial.measure.is_better_higher else ended,
    )
