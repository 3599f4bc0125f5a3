"""Which curve tells whether a run learns, what chance alone makes of it, and whether it stands still."""

import math
from dataclasses import dataclass

import numpy as np

from traindx import quantities as q
from traindx.curves.curve import Curve, curve_of
from traindx.curves.facts import stated_number
from traindx.curves.limits import CLEAR, FEW, NOISES, NOTHING, SHORT, SMALL, STEADY, SURE_NOISES, TINY, TRIPLE
from traindx.curves.recognition import objective_of
from traindx.curves.series import rank_trend, whole
from traindx.curves.traits import DISCRIMINATOR
from traindx.facts import CHANCE_LOSS, CLASSES, VOCABULARY_SIZE
from traindx.finding import Finding
from traindx.format import percentage
from traindx.objective import (
    CLASSIC_RL,
    CLASSIFICATION,
    CTC,
    FINE_TUNING,
    GAN,
    LANGUAGE_MODELING,
    LOSSES_AND_METRICS,
    RL_POST_TRAINING,
)
from traindx.run import Run

YARDSTICKS = (*LOSSES_AND_METRICS, q.REWARD)
"""What a run may be judged by, the most telling first."""

AT_CHANCE = 0.03
"""Distance of a loss from that of guessing, over it, that guessing explains; bench/thresholds.md#chance."""
BELOW_TWO = 0.6
"""A loss below that of guessing between two, 0.69; bench/thresholds.md#chance."""
_ABOVE_MANY = 8.0
"""A loss above that of guessing among three thousand; bench/thresholds.md#chance."""
_MOST_CLASSES = 1e6
"""What is stated beyond is no number of classes; bench/thresholds.md#chance."""
_NEAR = 0.3
"""Distance of an accuracy from that of guessing, over it; bench/thresholds.md#chance."""
_PERCENT = 1.5
"""Largest accuracy above which they are percent, not shares; bench/thresholds.md#chance."""
_CERTAIN = 0.02
"""Cross-entropy at which the right answer has 98%; bench/thresholds.md#certain."""
_UNMOVED = 0.01
"""From the lowest to the highest loss, over its level, of a network that nobody contests;
bench/thresholds.md#flat."""
_DROWNED = 0.2
"""Share of all progress that noise hides, of which nothing can be said; bench/thresholds.md#stood."""
_ABOVE_BEST = 0.15
"""Share of all progress above its best where no curve stands still; bench/thresholds.md#stood."""


def learning_curve(run: Run) -> Curve | None:
    """The curve that should fall when the run learns; None where no single one should."""
    if not run.series:
        return None
    yardsticks = objective_of(run).yardsticks
    return next((curve_of(whole(run, quantity)) for quantity in yardsticks if quantity in run), None)


def loss_of(run: Run) -> Curve | None:
    """The learning curve where it is a loss or a metric; None where only a reward tells."""
    return None if is_reinforcement(run) else learning_curve(run)


def is_reinforcement(run: Run) -> bool:
    """Whether only a reward tells: policy and value losses may rise while the agent learns."""
    return objective_of(run) in (CLASSIC_RL, RL_POST_TRAINING)


def is_adversarial(run: Run) -> bool:
    """Whether two networks train against each other, so that neither loss should fall to the end."""
    return objective_of(run) is GAN


def still_discriminator(run: Run) -> Curve | None:
    """The loss of a discriminator that never moves; None where it does, as in every real contest."""
    if not is_adversarial(run):
        return None
    judges = [
        curve_of(series)
        for series in run.all(q.TRAIN_LOSS)
        if DISCRIMINATOR.search(f"{series.part} {series.name}")
    ]
    known = [judge for judge in judges if len(judge) >= FEW and not judge.floorless]
    return next((curve for curve in known if float(np.ptp(curve.values)) <= _UNMOVED * curve.size), None)


def chance_loss(run: Run) -> float | None:
    """The cross-entropy of guessing evenly among the classes; None if their number is not known."""
    is_language = objective_of(run) in (LANGUAGE_MODELING, FINE_TUNING)
    tokens = stated_number(run, VOCABULARY_SIZE) if is_language else None
    classes = tokens if tokens and tokens >= 2 else classes_of(run)
    if classes is None or (q.TRAIN_LOSS in run and several_terms(run)):
        return None
    return math.log(classes)


def several_terms(run: Run) -> bool:
    """Whether the training loss is made of terms, of which guessing among classes explains one at most."""
    losses = run.all(q.TRAIN_LOSS)
    return len(losses) > 1 and all(series.part for series in losses)


def classes_of(run: Run) -> int | None:
    """The number of classes the run states, or that loss and accuracy give away by sitting at chance."""
    stated = run.facts.get(CLASSES)
    if isinstance(stated, int | float) and not isinstance(stated, bool) and 2 <= stated <= _MOST_CLASSES:
        return round(stated)
    quantity = next((candidate for candidate in (q.VAL_ACCURACY, q.TRAIN_ACCURACY) if candidate in run), None)
    losses = [curve_of(whole(run, candidate)) for candidate in (q.TRAIN_LOSS, q.VAL_LOSS) if candidate in run]
    accuracy = curve_of(whole(run, quantity)) if quantity else None
    if accuracy is None or len(accuracy) < FEW:
        return None
    return next((guess for loss in losses if (guess := _guessed(loss, accuracy))), None)


def _guessed(loss: Curve, accuracy: Curve) -> int | None:
    """The number of classes among which a loss and an accuracy both sit at guessing."""
    if len(loss) < FEW or not BELOW_TWO < loss.end < _ABOVE_MANY:
        return None
    guess = round(math.exp(loss.end))
    if guess < 2 or abs(loss.end / math.log(guess) - 1) > AT_CHANCE:
        return None
    # Both must sit at chance, and the accuracy must never have been far above it.
    near = abs(right_share(accuracy, accuracy.end) * guess - 1) < _NEAR
    return guess if near and right_share(accuracy, accuracy.best) * guess < 2 else None


def right_share(accuracy: Curve, value: float) -> float:
    """A value of an accuracy's curve as the share of right answers."""
    return as_share(accuracy.shown(value), float(np.abs(accuracy.values).max()))


def metric_of(run: Run) -> Curve | None:
    """The held-out metric that a model is judged by: right answers, mAP, a score, an error."""
    quantity = next((metric for metric in (q.VAL_ACCURACY, q.VAL_SCORE, q.VAL_ERROR) if metric in run), None)
    if quantity is None:
        return None
    precisions = [
        series for series in run.all(quantity) if "map" in series.part and len(series.finite) >= FEW
    ]
    return curve_of(min(precisions, key=lambda precision: len(precision.part), default=whole(run, quantity)))


def answers_improve(run: Run) -> bool:
    """Whether right answers have at least doubled, steadily: of many classes, the loss shows that late."""
    quantity = next((measure for measure in (q.VAL_ACCURACY, q.TRAIN_ACCURACY) if measure in run), None)
    accuracy = curve_of(whole(run, quantity)) if quantity else None
    if accuracy is None or len(accuracy) < SHORT:
        return False
    return -accuracy.end >= 2 * max(-accuracy.start, TINY) and rank_trend(accuracy.level) <= -STEADY


def as_share(value: float, largest: float) -> float:
    """An accuracy as a share of 1, whether it was logged so or in percent."""
    return value / 100 if largest > _PERCENT else value


def still_since(run: Run, curve: Curve, *, small: float = NOTHING, noises: float = NOISES) -> float | None:
    """The share of the run after which the curve makes no more progress; None if it falls to the end.

    No more progress: the rest of the run gains less than a small part of all progress, or less than the noise
    of its own levels. A curve without progress, or one that ends above its best, does not stand still.
    """
    worth = learned(run, curve)
    if worth <= max(SURE_NOISES * curve.end_noise, NOTHING * curve.size):
        return None
    allowed = max(small * worth, noises * curve.end_noise)
    if allowed > _DROWNED * worth:
        # So little progress against so much noise: where it stopped cannot be seen.
        return None
    if abs(curve.end - curve.best) > max(TRIPLE * allowed, _ABOVE_BEST * worth):
        return None
    reached = np.flatnonzero(curve.trend <= curve.end + allowed)
    share = curve.share_of(int(reached[0])) if len(reached) else 1.0
    return share if share < 1 - SMALL else None


def learned(run: Run, curve: Curve) -> float:
    """All progress that is learning: what a loss falls from above guessing down to it is none."""
    progress = max(curve.progress, curve.start - curve.end)
    below = _untrained(run, curve) - min(curve.best, curve.end)
    # A loss that never got below guessing, perhaps a sum of terms, is no loss that guessing explains.
    return below if below > 0 else progress


def _untrained(run: Run, curve: Curve) -> float:
    """Where a network that knows nothing stands: at the start, or at guessing where it began above."""
    chance = chance_loss(run) if curve.quantity in (q.TRAIN_LOSS, q.VAL_LOSS) else None
    return curve.start if chance is None else min(curve.start, chance)


def at_floor(run: Run, curve: Curve, *, left: float = CLEAR, perfect: float = 0.95) -> bool:
    """Whether a loss stands where it can hardly go lower: near zero, or with nearly every answer right."""
    bounded = curve.shown(1) > 0 and not curve.floorless
    if bounded and curve.start > 0 and curve.end <= left * _untrained(run, curve):
        return True
    if curve.quantity is q.TRAIN_LOSS and q.TRAIN_ACCURACY in run:
        accuracy = curve_of(whole(run, q.TRAIN_ACCURACY))
        if len(accuracy):
            return right_share(accuracy, accuracy.end) >= perfect
    return False


def is_certain(run: Run, loss: Curve) -> bool:
    """Whether a cross-entropy stays so low in the second half that its ups and downs mean nothing."""
    answers = objective_of(run) in (CLASSIFICATION, LANGUAGE_MODELING, FINE_TUNING, CTC)
    if not answers or loss.quantity not in (q.TRAIN_LOSS, q.VAL_LOSS) or loss.floorless or not len(loss):
        return False
    return float(loss.level[loss.blocks // 2 :].max()) <= _CERTAIN


@dataclass(frozen=True, eq=False)
class AgainstChance:
    """The training loss and that of the best constant prediction."""

    loss: Curve
    chance: float

    def finding(self, strength: float, limit: float, told: str = "") -> Finding:
        """What the end of the loss shows; `told` stands between the two numbers instead of the comparison."""
        end, chance = self.loss.texts(self.loss.end, self.chance)
        compared = f"{told} {chance}" if told else f", {self._compared} a constant prediction ({chance})"
        says = f"final training loss {end}{compared}"
        return Finding(strength, says, (self.loss.evidence(self.loss.end_steps, self.loss.end, limit),))

    @property
    def _compared(self) -> str:
        gain = 1 - self.loss.end / self.chance
        if abs(gain) < AT_CHANCE:
            return "no better than"
        return "worse than" if gain < 0 else f"only {percentage(gain)} below"


def against_chance(run: Run, points: int) -> AgainstChance | None:
    """The loss and the loss of the best constant prediction; None where they cannot be compared."""
    loss, chance = curve_of(whole(run, q.TRAIN_LOSS)), stated_number(run, CHANCE_LOSS)
    # A loss of several terms is not what the guess was reckoned for.
    if chance is None or chance <= 0 or len(loss) < points or several_terms(run):
        return None
    return AgainstChance(loss, chance)


def chance_accuracy(classes: int, near: float) -> float:
    """The accuracy up to which an answer is a guess.

    Two classes leave little room above chance, many leave much: the limit is a share of that room.
    """
    return min(1 / classes + near * (1 - 1 / classes), 2 / classes)
