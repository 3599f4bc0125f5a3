"""Which curve tells whether a run learns, and what that curve is worth by chance alone."""

import math
import re

import numpy as np

from traindx.curves.curve import Curve, curve_of, whole
from traindx.facts import CLASSES, OPTIMIZERS_IN_TURN
from traindx.quantities import (
    REWARD,
    TEST_LOSS,
    TRAIN_ACCURACY,
    TRAIN_ERROR,
    TRAIN_LOSS,
    TRAIN_PERPLEXITY,
    TRAIN_SCORE,
    VAL_ACCURACY,
    VAL_ERROR,
    VAL_LOSS,
    VAL_PERPLEXITY,
    VAL_SCORE,
)
from traindx.run import Run

OBJECTIVES = (
    TRAIN_LOSS,
    VAL_LOSS,
    TRAIN_PERPLEXITY,
    VAL_PERPLEXITY,
    TEST_LOSS,
    TRAIN_ERROR,
    VAL_ERROR,
    TRAIN_ACCURACY,
    VAL_ACCURACY,
    TRAIN_SCORE,
    VAL_SCORE,
    REWARD,
)
"""What a run may be judged by, the most telling first."""

_ADVERSARIES = (
    re.compile(r"(?i)(^|[^a-z])(d|dis|disc|discriminator|critic)([^a-z]|$)"),
    re.compile(r"(?i)(^|[^a-z])(g|gen|generator)([^a-z]|$)"),
)

_POLICY_TERMS = re.compile(r"(?i)(^|[^a-z])(policy|actor|critic|value|vf|pi|pg|entropy|q|qf)([^a-z]|$)")


def objective(run: Run) -> Curve | None:
    """The curve that should fall when the run learns; None where no single one should."""
    if is_reinforcement(run):
        # Policy and value losses may rise while the agent learns: only the reward tells.
        return curve_of(whole(run, REWARD))
    if is_adversarial(run) or _only_policy(run):
        return None
    return next((curve_of(whole(run, one)) for one in OBJECTIVES if one in run), None)


def loss_of(run: Run) -> Curve | None:
    """The objective where it is a loss or a metric; None where only a reward tells."""
    return None if is_reinforcement(run) else objective(run)


def is_reinforcement(run: Run) -> bool:
    """Whether the run logs a reward of its own, not only terms of a preference loss."""
    return any(not series.part for series in run.all(REWARD))


def is_adversarial(run: Run) -> bool:
    """Whether two networks train against each other, so that neither loss should fall to the end."""
    if OPTIMIZERS_IN_TURN in run.facts:
        return True
    losses = run.all(TRAIN_LOSS)
    names = [f"{series.part} {series.name}" for series in losses]
    return len(losses) > 1 and all(any(pattern.search(name) for name in names) for pattern in _ADVERSARIES)


def _only_policy(run: Run) -> bool:
    """Whether all that is called a loss is a term of a policy gradient, whose size tells nothing."""
    losses = run.all(TRAIN_LOSS)
    return bool(losses) and all(_POLICY_TERMS.search(series.part) for series in losses)


def chance_loss(run: Run) -> float | None:
    """The cross-entropy of guessing evenly among the classes; None if their number is not known."""
    classes = classes_of(run)
    if classes is None or (TRAIN_LOSS in run and several_terms(run)):
        return None
    return math.log(classes)


def several_terms(run: Run) -> bool:
    """Whether the training loss is made of terms, of which guessing among classes explains one at most."""
    losses = run.all(TRAIN_LOSS)
    return len(losses) > 1 and all(series.part for series in losses)


def classes_of(run: Run) -> int | None:
    """The number of classes the run states, or that loss and accuracy give away by sitting at chance."""
    stated = run.facts.get(CLASSES)
    if isinstance(stated, int | float) and not isinstance(stated, bool) and 2 <= stated <= 1e6:
        return round(stated)
    quantity = next((one for one in (VAL_ACCURACY, TRAIN_ACCURACY) if one in run), None)
    loss = next((curve_of(whole(run, one)) for one in (TRAIN_LOSS, VAL_LOSS) if one in run), None)
    if quantity is None or loss is None or len(loss) < 3 or not 0.6 < loss.end < 8:
        return None
    accuracy = curve_of(whole(run, quantity))
    guess = round(math.exp(loss.end))
    if len(accuracy) < 3 or guess < 2 or abs(loss.end / math.log(guess) - 1) > 0.03:
        return None
    largest = float(np.abs(accuracy.values).max())
    # Both must sit at chance, and the accuracy must never have been far above it.
    near = abs(as_share(-accuracy.end, largest) * guess - 1) < 0.3
    return guess if near and as_share(-accuracy.best, largest) * guess < 2 else None


def as_share(value: float, largest: float) -> float:
    """An accuracy as a share of 1, whether it was logged so or in percent."""
    return value / 100 if largest > 1.5 else value
