"""How a run compares with chance level and with a constant prediction."""

import math
from typing import Annotated

import numpy as np

from traindx.curves.curve import Curve, curve_of
from traindx.curves.facts import compares_numbers, fact_evidence, needs_beginning, stated_number
from traindx.curves.limits import (
    FAINT,
    FAIR,
    FEW,
    LAST_QUARTER,
    LATE,
    LIKELY,
    NOISES,
    NOTHING,
    SMALL,
    SURE_NOISES,
    TRIPLE,
    graded,
    linear,
)
from traindx.curves.objective import (
    BELOW_TWO,
    against_chance,
    chance_accuracy,
    chance_loss,
    classes_of,
    is_reinforcement,
    learning_curve,
    right_share,
    several_terms,
)
from traindx.curves.policy import gains
from traindx.curves.series import last_part, looked, reaches_end, seen_in, whole
from traindx.facts import CHANCE_LOSS, INITIAL_LOSS, LOSS_PLACE
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.format import multiple, number, percentage
from traindx.objective import Problem
from traindx.quantities import (
    PREDICTION_MAX,
    PREDICTION_MEAN,
    PREDICTION_MIN,
    PREDICTION_STD,
    REWARD,
    TARGET_STD,
    TRAIN_ACCURACY,
    TRAIN_LOSS,
    VAL_ACCURACY,
    VAL_LOSS,
)
from traindx.run import Run

_ABOVE_MOST = 1.01
"""Times the loss of guessing among the most classes, to leave room for noise; bench/thresholds.md#chance."""


@sign(needs=(CHANCE_LOSS, TRAIN_LOSS), severity=Severity.WARNING, problem=Problem.NOT_LEARNING, healthy=-1.78)
def little_learned(
    run: Run,
    *,
    share: Annotated[float, "of the loss of a constant prediction; bench/thresholds.md#learned"] = 0.4,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 20,
) -> Answer:
    """Training loss ends little better than a constant prediction."""
    ends = against_chance(run, points)
    if ends is None:
        return CANNOT_TELL
    learned = (ends.chance - ends.loss.end) / ends.chance
    if learned >= share:
        return None
    return ends.finding(min(1.0, max(FAINT, (share - learned) / share)), ends.chance)


@sign(needs=((TRAIN_LOSS, VAL_LOSS),), severity=Severity.SERIOUS, problem=Problem.NOT_LEARNING, healthy=-3.23)
def loss_at_chance(
    run: Run,
    *,
    near: Annotated[float, "distance from ln C over ln C; bench/thresholds.md#chance"] = 0.03,
    most_classes: Annotated[int, "most classes inferred from the loss; bench/thresholds.md#chance"] = 20,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 6,
) -> Answer:
    """Loss ends at chance level."""
    loss = learning_curve(run)
    if (
        loss is None
        or len(loss) < points
        or loss.quantity not in (TRAIN_LOSS, VAL_LOSS)
        or several_terms(run)
    ):
        return CANNOT_TELL
    known = chance_loss(run)
    classes = round(math.exp(known)) if known else _guessed(loss, most_classes)
    if classes is None:
        return None if loss.start - loss.end > TRIPLE * near * loss.size else CANNOT_TELL
    chance = math.log(classes)
    # It must stand there: a loss on its way down passes every level once.
    moving = abs(loss.level_at(LATE) - loss.end) > max(near * chance, NOISES * loss.end_noise)
    if moving or abs(loss.end - chance) > near * chance:
        return None
    says = f"final {loss.called} {number(loss.end)} is at chance level for {classes} classes"
    says += f" ({number(chance)})"
    strength = 1.0 if known else LIKELY
    return Finding(strength, says, (loss.evidence(loss.end_steps, loss.end, chance * (1 - near)),))


def _guessed(loss: Curve, most: int, within: float = 0.005) -> int | None:
    """The number of classes whose ln a flat loss sits on, where the log states none."""
    moved = abs(loss.start - loss.end) > NOTHING * loss.size
    if moved or not BELOW_TWO < loss.end < math.log(most) * _ABOVE_MOST:
        return None
    classes = round(math.exp(loss.end))
    return classes if classes >= 2 and abs(loss.end / math.log(classes) - 1) < within else None


@sign(
    needs=((VAL_ACCURACY, TRAIN_ACCURACY),),
    severity=Severity.SERIOUS,
    problem=Problem.NOT_LEARNING,
    healthy=-3.00,
)
def accuracy_at_chance(
    run: Run,
    *,
    near: Annotated[float, "accuracy above 1/C, as a share; bench/thresholds.md#chance"] = 0.1,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 4,
) -> Answer:
    """Accuracy ends at chance level."""
    # What was looked at in the first half only does not tell how the run ends.
    trained = TRAIN_ACCURACY in run and reaches_end(run, whole(run, TRAIN_ACCURACY))
    series = whole(run, TRAIN_ACCURACY if trained or VAL_ACCURACY not in run else VAL_ACCURACY)
    classes = classes_of(run)
    accuracy = curve_of(series)
    if classes is None or len(accuracy) < points:
        return CANNOT_TELL
    chance = 1 / classes
    if right_share(accuracy, accuracy.best) > chance_accuracy(classes, near):
        return None
    if not trained and VAL_ACCURACY not in run:
        return CANNOT_TELL
    says = f"final {accuracy.called} {percentage(right_share(accuracy, accuracy.end), 1)} is at chance level"
    says += f" for {classes} classes ({percentage(chance, 1)})"
    return Finding(1.0, says, (accuracy.evidence(accuracy.end_steps, accuracy.end),))


@sign(needs=(VAL_ACCURACY, TRAIN_LOSS), severity=Severity.SERIOUS, problem=Problem.VALIDATION_OFF)
def validation_at_chance(
    run: Run,
    *,
    near: Annotated[float, "distance from chance over the room above it; bench/thresholds.md#chance"] = 0.1,
    learned: Annotated[float, "training loss over ln C; bench/thresholds.md#chance"] = 0.7,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 4,
) -> Answer:
    """Validation accuracy stays at chance level although training learns."""
    classes = classes_of(run)
    train, val = curve_of(whole(run, TRAIN_LOSS)), curve_of(whole(run, VAL_ACCURACY))
    if classes is None or min(len(train), len(val)) < points:
        return CANNOT_TELL
    best = right_share(val, val.best)
    guess = 1 / classes
    if train.end > learned * np.log(classes) or best > chance_accuracy(classes, near):
        return None
    says = f"validation accuracy never exceeds {percentage(best, 1)}"
    says += f"; chance level for {classes} classes is {percentage(guess, 1)}"
    return Finding(1.0, says, (val.evidence(val.all_steps, val.best),))


@sign(needs=(INITIAL_LOSS, CHANCE_LOSS), severity=Severity.WARNING)
@needs_beginning
def starts_far_above_chance(
    run: Run,
    *,
    classes: Annotated[float, "first loss over chance, of classes; bench/thresholds.md#start"] = 2.5,
    numbers: Annotated[float, "first loss over chance, of numbers; bench/thresholds.md#start"] = 20.0,
) -> Answer:
    """Initial loss is far above that of a constant prediction."""
    first, chance = stated_number(run, INITIAL_LOSS), stated_number(run, CHANCE_LOSS)
    if first is None or chance is None or chance <= 0:
        return CANNOT_TELL
    # A regression begins at its mean squared over its variance: an offset alone makes it large.
    limit = numbers if compares_numbers(run) else classes
    if first < limit * chance:
        return None
    says = f"initial loss {number(first)} is {multiple(first / chance)} that of a constant prediction"
    says += f" ({number(chance)})"
    evidence = fact_evidence(run, INITIAL_LOSS, LOSS_PLACE, limit=limit * chance)
    return Finding(graded(first / chance, limit), says, (evidence,))


@sign(
    needs=(CHANCE_LOSS, TRAIN_LOSS),
    severity=Severity.SERIOUS,
    formerly="worse_than_constant",
    problem=Problem.NOT_LEARNING,
)
def worse_than_constant_baseline(
    run: Run,
    *,
    ratio: Annotated[float, "end over a constant prediction; bench/thresholds.md#learned"] = 1.15,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 20,
) -> Answer:
    """Training loss ends worse than a constant prediction."""
    ends = against_chance(run, points)
    if ends is None:
        return CANNOT_TELL
    if ends.loss.end < ratio * ends.chance + NOISES * ends.loss.end_noise:
        return None
    strength = graded(ends.loss.end / ends.chance, ratio, TRIPLE * ratio, least=1 / 2)
    return ends.finding(strength, ratio * ends.chance)


@sign(needs=(PREDICTION_STD, TARGET_STD), severity=Severity.SERIOUS, problem=Problem.NOT_LEARNING)
def predictions_constant(
    run: Run,
    *,
    share: Annotated[float, "of the std of the targets; bench/thresholds.md#one-answer"] = 0.005,
) -> Answer:
    """Predictions are nearly identical across the batch."""
    spread, targets = looked(run, PREDICTION_STD), looked(run, TARGET_STD)
    if spread is None or targets is None or len(spread) < FEW:
        return CANNOT_TELL
    late = float(np.median(last_part(spread.values)))
    # Scores have a scale of their own: what they spread over the classes counts as well.
    scale = max(float(np.median(last_part(targets.values))), _size(run))
    if scale <= 0 or not np.isfinite(scale):
        return CANNOT_TELL
    if late > share * scale:
        return None
    says = f"predictions are {'nearly ' if late else ''}identical across the batch (std {number(late)}"
    says += f"; targets {number(float(np.median(targets.values)))})"
    return Finding(1.0, says, (seen_in(spread, late, share * scale),))


def _size(run: Run) -> float:
    series = [looked(run, quantity) for quantity in (PREDICTION_MEAN, PREDICTION_MIN, PREDICTION_MAX)]
    return max(
        (abs(float(np.median(last_part(curve.values)))) for curve in series if curve is not None), default=0.0
    )


@sign(needs=(REWARD,), severity=Severity.SERIOUS, problem=Problem.NOT_LEARNING, healthy=-4.08)
@needs_beginning
def reward_flat(
    run: Run,
    *,
    noises: Annotated[float, "rise over the noise of a point; bench/thresholds.md#reward"] = 1.0,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 30,
) -> Answer:
    """Reward never rises above its initial level."""
    reward = curve_of(whole(run, REWARD))
    if not is_reinforcement(run) or len(reward) < points:
        return CANNOT_TELL
    rise = reward.start - reward.best
    if rise > max(noises * reward.noise, SURE_NOISES * reward.level_noise, SMALL * reward.size):
        return None
    # What rises all the time rises, however small that is beside its noise.
    if gains(reward):
        return None
    says = f"reward is flat for {reward.length}: {reward.text(reward.start)} at the start"
    says += f", {reward.text(reward.end)} at the end"
    return Finding(1.0, says, (reward.evidence(reward.all_steps, reward.end, reward.start),))


@sign(needs=(REWARD,), severity=Severity.SERIOUS, problem=Problem.POLICY, healthy=-4.00)
def reward_given_back(
    run: Run,
    *,
    lost: Annotated[float, "of what was gained; bench/thresholds.md#reward"] = 0.3,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 30,
) -> Answer:
    """Reward ends far below its best."""
    reward = curve_of(whole(run, REWARD))
    if not is_reinforcement(run) or len(reward) < points:
        return CANNOT_TELL
    # Of the last quarter the middle: a policy that has collapsed tries to rise again and again.
    last = float(np.median(reward.level[reward.block_at(LAST_QUARTER) :]))
    gain, loss = reward.progress, last - reward.best
    learned = gain > max(reward.noise, SURE_NOISES * reward.level_noise, SMALL * reward.size)
    # The best is the luckiest of all levels, so it lies above the true one by about two of their noises.
    clear = loss > NOISES * reward.end_noise + 2 * reward.noise_around(reward.best_block)
    late = reward.share_of(reward.best_block) > LAST_QUARTER
    if not learned or late or not clear or loss < lost * gain or reward.end - reward.best < loss / 2:
        return None
    best, end = reward.texts(reward.best, last)
    step = float(reward.at[reward.best_block])
    says = f"reward rises to {best} at {reward.place(step)} and falls back to {end} in the last quarter"
    where = (step, float(reward.steps[-1]))
    strength = linear(loss / gain, lost, over=1 - lost, least=FAIR)
    return Finding(strength, says, (reward.evidence(where, last, reward.best + lost * gain),))
