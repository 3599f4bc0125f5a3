"""How training and validation compare."""

import math
from typing import Annotated

import numpy as np

from traindx.curves.curve import Curve, curve_of
from traindx.curves.facts import losses_differ, needs_beginning, stated_number
from traindx.curves.inputs import inputs_are_alike
from traindx.curves.limits import (
    CLEAR,
    FAIR,
    FEW,
    LATE,
    MILD,
    NOISES,
    NOTHING,
    SHORT,
    SMALL,
    TRIPLE,
    graded,
    linear,
)
from traindx.curves.objective import chance_accuracy, chance_loss, classes_of, learned, right_share
from traindx.curves.recognition import objective_of
from traindx.curves.series import looked, seen_in, whole
from traindx.facts import CLASSES
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.format import number, pair, percentage
from traindx.objective import FINE_TUNING, LANGUAGE_MODELING, Problem
from traindx.quantities import (
    CONFIDENTLY_WRONG_SHARE,
    INPUT_STD,
    TRAIN_ACCURACY,
    TRAIN_LOSS,
    VAL_ACCURACY,
    VAL_ERROR,
    VAL_LOSS,
)
from traindx.run import Axis, Floats, Run, Series

_SURE = 0.9
"""Strength where answers to a few classes are wrong; bench/thresholds.md#high."""
_OFTEN_RIGHT = 0.8
"""Accuracy from which on a few classes are learned; bench/thresholds.md#high."""
_FEW_CLASSES = math.log(20.5)
"""Loss of guessing among the classes that count as a few; bench/thresholds.md#chance."""
_UNLEARNED = 0.97
"""Of the loss of guessing, above which nothing was learned; bench/thresholds.md#chance."""
_DEEP = 0.3
"""First descent over the height of the bump after it; bench/thresholds.md#bump."""
_FIRST_STEPS = 10
"""Steps within which a network is as good as untrained; bench/thresholds.md#lost-start."""
_FIRST_SHARE = 0.005
"""The same as a share of all steps; bench/thresholds.md#lost-start."""
_LEARNS = 0.7
"""Last over first training loss of a run that learns; bench/thresholds.md#lost-start."""


@sign(needs=(TRAIN_LOSS, VAL_LOSS), severity=Severity.WARNING, problem=Problem.STOPS_EARLY)
def both_losses_high(
    run: Run,
    *,
    high: Annotated[float, "end over start, or over ln C; bench/thresholds.md#high"] = 0.35,
    apart: Annotated[float, "gap over the loss; bench/thresholds.md#high"] = 0.15,
    right: Annotated[float, "accuracy that is not low; bench/thresholds.md#high"] = 0.9,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 8,
) -> Answer:
    """Training and validation loss are flat together, both high."""
    train, val = curve_of(whole(run, TRAIN_LOSS)), curve_of(whole(run, VAL_LOSS))
    if len(train) < points or len(val) < FEW or train.floorless or train.end <= 0 or train.progress <= 0:
        return CANNOT_TELL
    if losses_differ(run):
        return CANNOT_TELL
    if objective_of(run) in (LANGUAGE_MODELING, FINE_TUNING):
        # Text keeps its entropy however well it is learned: both end high, and together, by right.
        return CANNOT_TELL
    chance, accuracy = chance_loss(run), _accuracy(run)
    level = chance or train.start
    late = train.level_at(LATE) - train.end
    moves = late > CLEAR * learned(run, train)
    if (moves and late > NOISES * train.end_noise) or train.end < high * level:
        return None
    if abs(val.end - train.end) > apart * train.end:
        return None
    if chance is not None and train.end > _UNLEARNED * chance:
        # Nothing was learned at all, which is another illness than learning too little.
        return None
    fell = train.start - train.end > max(SMALL * train.size, NOISES * train.end_noise)
    if not fell or (accuracy is not None and accuracy > right):
        return None
    if moves or _falls_on(val) or val.level_noise > apart * val.end:
        # One seems to fall on, and only its noise, or its few points, forbid to be sure; or it swings.
        return CANNOT_TELL
    against = f"chance level is {number(chance)}" if chance else f"training started at {number(train.start)}"
    says = f"training loss {number(train.end)} and validation loss {number(val.end)} are both flat; {against}"
    # The data may hold no more than this (text, noise, hard tasks); wrong answers to a few classes say more.
    wrong = accuracy is not None and accuracy < _OFTEN_RIGHT and chance is not None and chance < _FEW_CLASSES
    strength = _SURE if wrong else FAIR if accuracy is not None else MILD
    return Finding(strength, says, (train.evidence(train.since(LATE), train.end, high * level),))


def _falls_on(val: Curve) -> bool:
    """Whether validation still gains a tenth of all it gained, in the last part of the run."""
    last = float(val.level[-1]) if val.blocks < SHORT else val.end
    begin = float(val.steps[0]) + LATE * float(val.steps[-1] - val.steps[0])
    fall = float(np.interp(begin, val.at, val.level)) - last
    return fall > max(CLEAR * val.progress, NOISES * val.end_noise)


def _accuracy(run: Run) -> float | None:
    """The share of right answers on training data at the end; None if it was not logged."""
    if TRAIN_ACCURACY not in run:
        return None
    accuracy = curve_of(whole(run, TRAIN_ACCURACY))
    return right_share(accuracy, accuracy.end) if len(accuracy) >= FEW else None


@sign(needs=((VAL_LOSS, VAL_ERROR, VAL_ACCURACY),))
def double_descent(
    run: Run,
    *,
    noises: Annotated[float, "height of the bump over the level noise; bench/thresholds.md#bump"] = 6.0,
    share: Annotated[float, "height of the bump over the progress; bench/thresholds.md#bump"] = 0.1,
    wide: Annotated[float, "width of the bump over the run; bench/thresholds.md#bump"] = 0.1,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 15,
) -> Answer:
    """Validation improves, worsens, and improves again to its best."""
    val = curve_of(
        whole(run, next(quantity for quantity in (VAL_LOSS, VAL_ERROR, VAL_ACCURACY) if quantity in run))
    )
    if len(val) < points:
        return CANNOT_TELL
    so_far = np.minimum.accumulate(val.trend)
    bump = int((val.trend - so_far).argmax())
    height = float(val.trend[bump] - so_far[bump])
    worth = max(val.progress, NOTHING * val.size)
    if height < max(noises * val.level_noise, share * worth) or val.end > so_far[bump] + CLEAR * height:
        return None
    first = int(np.flatnonzero(val.trend[: bump + 1] <= so_far[bump])[0])
    returns = np.flatnonzero(val.trend[bump:] <= so_far[bump] + CLEAR * height)
    if not len(returns):
        return None
    back = bump + int(returns[0])
    # A bump of a few points is a spike; a second descent takes a good part of the run.
    if (
        val.share_of(back) - val.share_of(first) < wide
        or float(val.values[0]) - so_far[bump] < _DEEP * height
    ):
        return None
    steps = (float(val.at[first]), float(val.at[back]))
    says = (
        f"{val.called} reaches {val.text(so_far[bump])} at {val.place(steps[0])}, worsens to"
        f" {val.text(val.trend[bump])} at {val.place(float(val.at[bump]))} and ends at"
        f" {val.text(val.end)}"
    )
    evidence = val.evidence(steps, float(val.trend[bump]), val.end)
    return Finding(min(1.0, MILD + height / worth), says, (evidence,))


@sign(needs=(CONFIDENTLY_WRONG_SHARE, CLASSES), severity=Severity.WARNING)
def confidently_wrong(
    run: Run,
    *,
    share: Annotated[float, "of samples; bench/thresholds.md#label-noise"] = 0.07,
    above: Annotated[float, "accuracy above chance; bench/thresholds.md#label-noise"] = 0.25,
) -> Answer:
    """A model that has learned is confidently wrong on many samples."""
    chance = 1 / max(stated_number(run, CLASSES) or 2.0, 2.0)
    trained = looked(run, CONFIDENTLY_WRONG_SHARE)
    validated = looked(run, CONFIDENTLY_WRONG_SHARE, "validation")
    # The later half of training: at first a network is sure of anything.
    late = _while_knowing(run, trained, TRAIN_ACCURACY in run, chance + above)
    late = late[len(late) // 2 :]
    # Validation up to its best: what is learned by heart afterward is wrong with confidence as well.
    # On inputs of another kind a model is wrong with confidence, whatever its labels are.
    good = _until_best(run, validated if inputs_are_alike(run) else None, chance + above)
    measured = [(curve, part) for curve, part in ((trained, late), (validated, good)) if curve is not None]
    known = [(curve, float(np.median(part))) for curve, part in measured if len(part) >= FEW]
    if not known:
        return CANNOT_TELL
    series, worst = max(known, key=lambda pair: pair[1])
    if worst < share:
        return None
    data = "validation" if series.part else "training"
    says = f"the model is confidently wrong on {percentage(worst)} of {data} samples"
    return Finding(linear(worst, share, over=CLEAR), says, (seen_in(series, worst, share),))


def _while_knowing(run: Run, wrong: Series | None, has_accuracy: bool, least: float) -> Floats:
    """The values of looks at which training was right more often than that."""
    if wrong is None or not has_accuracy:
        return np.zeros(0)
    right = whole(run, TRAIN_ACCURACY).finite
    if not len(right):
        return np.zeros(0)
    accuracy = np.interp(wrong.steps, right.steps, right.values)
    smooth = np.convolve(np.pad(accuracy, 1, mode="edge"), np.ones(FEW) / FEW, mode="valid")
    return wrong.values[smooth > least]


def _until_best(run: Run, wrong: Series | None, least: float) -> Floats:
    """The values of validation passes up to the best loss, where validation was right often enough."""
    if wrong is None or VAL_LOSS not in run or VAL_ACCURACY not in run:
        return np.zeros(0)
    loss, right = curve_of(whole(run, VAL_LOSS)), whole(run, VAL_ACCURACY).finite
    if not len(loss) or not len(right):
        return np.zeros(0)
    accuracy = np.interp(wrong.steps, right.steps, right.values)
    return wrong.values[(wrong.steps <= loss.lowest[1]) & (accuracy > least)]


@sign(
    needs=(VAL_ACCURACY, VAL_LOSS, TRAIN_LOSS),
    severity=Severity.SERIOUS,
    problem=Problem.VALIDATION_OFF,
    healthy=-3.02,
)
def validation_learns_nothing(
    run: Run,
    *,
    near: Annotated[float, "distance from chance over the room above it; bench/thresholds.md#chance"] = 0.2,
    below: Annotated[float, "validation loss over ln C; bench/thresholds.md#chance"] = 0.97,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 4,
) -> Answer:
    """Training learns, but validation never beats chance."""
    classes, chance, train = classes_of(run), chance_loss(run), curve_of(whole(run, TRAIN_LOSS))
    accuracy, loss = curve_of(whole(run, VAL_ACCURACY)), curve_of(whole(run, VAL_LOSS))
    if classes is None or chance is None or min(len(accuracy), len(loss), len(train)) < points:
        return CANNOT_TELL
    if train.end > below * chance:
        # Nothing to compare with: training learns nothing either.
        return CANNOT_TELL
    best = right_share(accuracy, accuracy.best)
    guess = 1 / classes
    if best > chance_accuracy(classes, near) or loss.lowest[0] < below * chance:
        return None
    says = f"validation accuracy is at most {percentage(best, 1)} (chance {percentage(guess, 1)}),"
    says += f" validation loss at least {number(loss.lowest[0])} (chance {number(chance)})"
    return Finding(1.0, says, (loss.evidence(loss.all_steps, loss.best, chance),))


@sign(
    needs=(TRAIN_LOSS, VAL_LOSS),
    severity=Severity.SERIOUS,
    formerly="validation_starts_lost",
    problem=Problem.VALIDATION_OFF,
    healthy=-1.05,
)
@needs_beginning
def validation_starts_worse_than_untrained(
    run: Run,
    *,
    above: Annotated[float, "validation over untrained loss; bench/thresholds.md#lost-start"] = 1.3,
    trained: Annotated[float, "the same over one trained a while; bench/thresholds.md#lost-start"] = 3.0,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 4,
) -> Answer:
    """Validation loss starts worse than that of the untrained model and stays there."""
    train, val = curve_of(whole(run, TRAIN_LOSS)), curve_of(whole(run, VAL_LOSS))
    if min(len(train), len(val)) < points or min(train.start, val.lowest[0]) <= 0 or losses_differ(run):
        return CANNOT_TELL
    # The first record is the untrained network only where single steps were logged from the first on.
    early = train.axis is Axis.STEP and train.steps[0] <= max(_FIRST_STEPS, _FIRST_SHARE * train.steps[-1])
    limit = (above if early else trained) * max(train.start, float(train.values[0]))
    first = float(val.values[0])
    if first < limit or val.lowest[0] < limit or train.end > _LEARNS * train.start:
        return None
    says = f"validation loss starts at {number(first)} and never falls below {number(val.lowest[0])}"
    says += f"; training loss started at {number(train.start)}"
    return Finding(1.0, says, (val.evidence(val.all_steps, first, limit),))


@sign(needs=(INPUT_STD,), healthy=-0.97)
def training_inputs_wider(
    run: Run, *, ratio: Annotated[float, "of the stds; bench/thresholds.md#mismatch"] = 1.15
) -> Answer:
    """Training inputs have a larger std than validation inputs, as with added noise."""
    std, other_std = looked(run, INPUT_STD), looked(run, INPUT_STD, "validation")
    if std is None or other_std is None:
        return CANNOT_TELL
    here, there = float(np.median(std.values)), float(np.median(other_std.values))
    if there <= 0 or here < ratio * there:
        return None
    wide, narrow = pair(here, there)
    says = f"training inputs have std {wide}, validation inputs {narrow}"
    return Finding(graded(here / there, ratio, TRIPLE * ratio), says, (seen_in(std, here, ratio * there),))
