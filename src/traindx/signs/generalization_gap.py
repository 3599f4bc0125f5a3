"""The gap between validation and training, and what a model has learned by heart."""

import math
from typing import Annotated

import numpy as np

from traindx.curves.curve import Curve, curve_of
from traindx.curves.facts import losses_differ
from traindx.curves.limits import (
    CLEAR,
    FAIR,
    LAST_QUARTER,
    MILD,
    NEARLY_ALL,
    NOISES,
    NOTHING,
    SHORT,
    SMALL,
    graded,
)
from traindx.curves.objective import as_share, metric_of, right_share
from traindx.curves.passes import levels_of_passes, passes_before, passes_of
from traindx.curves.recognition import objective_of
from traindx.curves.series import shares, whole
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.format import multiple, number, percentage
from traindx.objective import CLASSIFICATION, FINE_TUNING, LANGUAGE_MODELING, Problem
from traindx.quantities import (
    TRAIN_ACCURACY,
    TRAIN_LOSS,
    TRAIN_SCORE,
    VAL_ACCURACY,
    VAL_LOSS,
    VAL_SCORE,
)
from traindx.run import Run, Series, Split

_FAR = 0.3
"""Share of the first loss above which a loss is far from its floor; bench/thresholds.md#gap."""


@sign(
    needs=((VAL_LOSS, VAL_ACCURACY, VAL_SCORE), (TRAIN_LOSS, TRAIN_ACCURACY, TRAIN_SCORE)),
    severity=Severity.WARNING,
    problem=Problem.OVERFITS,
)
def validation_gap_wide(
    run: Run,
    *,
    gap: Annotated[float, "train minus validation accuracy; bench/thresholds.md#gap"] = 0.2,
    ratio: Annotated[float, "validation over training loss; bench/thresholds.md#gap"] = 2.0,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 3,
) -> Answer:
    """Validation ends far worse than training."""
    shares_of = _pair(run)
    by_accuracy = _by_accuracy(*shares_of, gap, points) if shares_of else CANNOT_TELL
    if isinstance(by_accuracy, Finding) or TRAIN_LOSS not in run or VAL_LOSS not in run or losses_differ(run):
        return by_accuracy
    train, val = curve_of(whole(run, TRAIN_LOSS)), curve_of(whole(run, VAL_LOSS))
    if min(len(train), len(val)) < points or train.floorless or val.floorless or train.end <= 0:
        return CANNOT_TELL
    # Near zero every ratio is large: the gap must also be a clear part of what there was to learn, and where
    # the answers are as often right on both sides, most of it.
    clear = CLEAR if by_accuracy is CANNOT_TELL else 1 / 2
    if val.end < ratio * train.end or val.end - train.end < clear * max(train.start, val.start):
        return None
    says = f"validation loss {number(val.end)} is {multiple(val.end / train.end)}"
    says += f" the training loss {number(train.end)}"
    evidence = val.evidence(val.end_steps, val.end, ratio * train.end)
    return Finding(min(1.0, val.end / (2 * ratio * train.end)), says, (evidence,))


def _pair(run: Run) -> tuple[Series, Series] | None:
    """An accuracy, or else a score between 0 and 1 such as mAP or Dice, on training and validation data."""
    if TRAIN_ACCURACY in run and VAL_ACCURACY in run:
        return whole(run, TRAIN_ACCURACY), whole(run, VAL_ACCURACY)
    trained = {series.part: series for series in run.all(TRAIN_SCORE) if _is_share(series)}
    checked = {series.part: series for series in run.all(VAL_SCORE) if _is_share(series)}
    part = next((part for part in trained if part in checked), None)
    return None if part is None else (trained[part], checked[part])


def _is_share(series: Series) -> bool:
    values = series.finite.values
    return len(values) > 0 and float(values.min()) >= 0 and float(values.max()) <= 1


def _by_accuracy(on_training: Series, on_validation: Series, limit: float, points: int) -> Answer:
    train, val = curve_of(on_training), curve_of(on_validation)
    if min(len(train), len(val)) < points:
        return CANNOT_TELL
    largest = max(float(np.abs(curve.values).max()) for curve in (train, val))
    trained, checked = as_share(-train.end, largest), as_share(-val.end, largest)
    if trained - checked < limit:
        return None
    gap = round(100 * trained, 1) - round(100 * checked, 1)
    says = f"{val.called} {percentage(checked, 1)} is {gap:.1f} points below"
    says += f" {train.called} {percentage(trained, 1)}"
    return Finding(min(1.0, (trained - checked) / (2 * limit)), says, (val.evidence(val.end_steps, val.end),))


@sign(
    needs=(TRAIN_LOSS, (VAL_LOSS, VAL_ACCURACY)),
    severity=Severity.SERIOUS,
    problem=Problem.OVERFITS,
    healthy=-3.50,
)
def gap_widens(
    run: Run,
    *,
    fall: Annotated[float, "fall of training meanwhile over its level; bench/thresholds.md#gap"] = 0.12,
    wide: Annotated[float, "last gap over the validation loss; bench/thresholds.md#gap"] = 0.25,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 3,
) -> Answer:
    """Training loss keeps falling while validation has stopped."""
    if VAL_LOSS not in run:
        return _answers_stand(run, fall, points)
    series = whole(run, VAL_LOSS).finite
    train, val = curve_of(beside(run, series)), curve_of(series)
    if len(val) < points or len(train) < 2 * points or train.floorless or val.floorless or val.end <= 0:
        return CANNOT_TELL
    if losses_differ(run):
        return CANNOT_TELL
    # From where validation has all that it ever gains but next to nothing.
    stands = int(np.flatnonzero(val.trend <= (1 + NOTHING) * val.best)[0])
    share = float(shares(run, series)[np.searchsorted(val.steps, val.at[stands])])
    if share > LAST_QUARTER or val.blocks - stands < points:
        return None
    before, then = train.level_at(share), float(val.trend[stands])
    falls = before - train.end > max(fall * abs(before), NOISES * train.end_noise)
    # And goes on falling: what drops at once and then stands leaves a gap that no longer widens.
    falls &= train.level_at((1 + share) / 2) - train.end > CLEAR * (before - train.end)
    gap, earlier, start = val.end - train.end, then - before, max(train.start, val.start)
    # Near its floor every gap is wide: it must also be a clear part of what there was to learn.
    narrow = gap < wide * val.end or (gap < CLEAR * start and val.end < _FAR * start)
    if not falls or narrow or gap < earlier + CLEAR * val.end or _metric_holds(run):
        return None
    first, last = train.texts(before, train.end)
    flat, end = val.texts(then, val.end)
    says = f"from {val.place(float(val.at[stands]))} on training loss falls from {first} to {last},"
    says += f" validation loss stays at {flat}" + (f" ({end} at the end)" if end != flat else "")
    evidence = val.evidence(val.span(stands, val.blocks - 1), val.end, then)
    clear = graded(val.end / max(train.end, SMALL * val.end), 1 / (1 - wide), least=FAIR)
    # A few evaluations that stand may fall again.
    strength = clear if val.blocks - stands >= SHORT else MILD
    return Finding(strength, says, (evidence,))


def _answers_stand(run: Run, fall: float, points: int) -> Answer:
    """The same told by answers: a loss proves so many right ones in training that validation is far below."""
    train, val = curve_of(whole(run, TRAIN_LOSS)), curve_of(whole(run, VAL_ACCURACY))
    if objective_of(run) is not CLASSIFICATION or len(val) < points or len(train) < 2 * points:
        return CANNOT_TELL
    if val.progress <= SMALL * val.size:
        # Answers that were never learned, or numbers, which are never exactly right.
        return CANNOT_TELL
    stands = int(np.flatnonzero(val.trend <= val.best + NOTHING * val.size)[0])
    before, place = train.level_at(val.share_of(stands)), val.share_of(stands)
    # The mean of -ln p is at least -ln of the mean: exp(-loss) is the least that answers were right.
    proven, right = math.exp(-max(train.end, 0.0)), right_share(val, val.end)
    if place > LAST_QUARTER or before - train.end < fall * before or proven < right + SMALL:
        return None
    says = f"from {val.place(float(val.at[stands]))} on training loss falls from {number(before)} to"
    says += f" {number(train.end)}, validation accuracy stays at {percentage(right)}"
    return Finding(FAIR, says, (val.evidence(val.span(stands, val.blocks - 1), val.end),))


def beside(run: Run, validation: Series) -> Series:
    """The training loss taken as the validation loss was, at the same moments; else the whole one."""
    taken = [series for series in run.all(TRAIN_LOSS) if not series.layer and series.axis is validation.axis]
    same = [series for series in taken if np.array_equal(series.finite.steps, validation.finite.steps)]
    usual = whole(run, TRAIN_LOSS)
    return same[0] if len(same) == 1 and len(usual) > len(same[0]) else usual


@sign(
    needs=((VAL_LOSS, VAL_ACCURACY, VAL_SCORE), (TRAIN_LOSS, TRAIN_ACCURACY, TRAIN_SCORE)),
    severity=Severity.SERIOUS,
    problem=Problem.OVERFITS,
    healthy=-3.50,
)
def validation_left_behind(
    run: Run,
    *,
    gap: Annotated[float, "train minus validation accuracy; bench/thresholds.md#gap"] = 0.4,
    learned: Annotated[float, "training loss over its start; bench/thresholds.md#gap"] = 0.05,
    left: Annotated[float, "validation loss over the first loss; bench/thresholds.md#gap"] = 0.4,
    gained: Annotated[float, "of the first validation loss; bench/thresholds.md#gap"] = 0.2,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 3,
) -> Answer:
    """Training rows are learned all but perfectly, validation rows hardly."""
    shares_of = _pair(run)
    by_accuracy = _by_accuracy(*shares_of, gap, points) if shares_of else CANNOT_TELL
    if isinstance(by_accuracy, Finding) or TRAIN_LOSS not in run or VAL_LOSS not in run:
        return by_accuracy
    train, val = curve_of(whole(run, TRAIN_LOSS)), curve_of(whole(run, VAL_LOSS))
    if min(len(train), len(val)) < points or train.floorless or val.floorless or train.end <= 0:
        return CANNOT_TELL
    if losses_differ(run):
        return CANNOT_TELL
    start = max(train.start, val.start)
    if train.end > learned * train.start or val.end < left * start or _mostly_right(run):
        return None
    if val.end < (1 - gained) * val.start:
        return None
    says = f"training loss falls from {number(train.start)} to {number(train.end)}, validation loss ends at"
    says += f" {number(val.end)} ({percentage(val.end / start)} of the first loss)"
    strength = graded(learned * train.start / train.end, 1.0, least=FAIR)
    return Finding(strength, says, (val.evidence(val.end_steps, val.end, left * start),))


def _metric_holds(run: Run) -> bool:
    """Whether the metric that a model is judged by ends at its best, whatever its loss does."""
    metric = metric_of(run)
    if metric is None or not len(metric):
        return False
    return metric.end - metric.best <= max(NOISES * metric.end_noise, NOTHING * metric.size)


def _mostly_right(run: Run) -> bool:
    """Whether nearly all validation answers are right, or a score of another kind ends at its best."""
    if VAL_ACCURACY not in run:
        return _metric_holds(run)
    accuracy = curve_of(whole(run, VAL_ACCURACY))
    return len(accuracy) > 0 and right_share(accuracy, accuracy.end) >= NEARLY_ALL


@sign(needs=(TRAIN_LOSS,), severity=Severity.SERIOUS, problem=Problem.OVERFITS, healthy=-5.00)
def tokens_memorized(
    run: Run,
    *,
    nats: Annotated[float, "loss per token that text never allows; bench/thresholds.md#memorized"] = 0.1,
    halved: Annotated[float, "last pass over the first; bench/thresholds.md#memorized"] = 0.5,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 6,
) -> Answer:
    """A language model predicts its training tokens with near certainty."""
    loss = curve_of(whole(run, TRAIN_LOSS))
    if objective_of(run) not in (LANGUAGE_MODELING, FINE_TUNING) or len(loss) < points:
        return CANNOT_TELL
    # A score of a classifier that is fine-tuned may end at zero by right; so may a loss that began there,
    # unless its first record comes after passes in which it was learned.
    began = loss.start >= 1 or passes_before(run) >= 2
    if TRAIN_ACCURACY in run or VAL_ACCURACY in run or loss.floorless:
        return CANNOT_TELL
    if not began or loss.end > nats:
        return _learned_by_pass(run, loss, halved)
    end = number(loss.end)
    strength = graded(nats / max(loss.end, nats * SMALL), 1.0, least=FAIR)
    says = f"training loss ends at {end} per token: each is predicted with"
    says += f" {percentage(math.exp(-loss.end), 1)}, which only repeated text allows"
    passes = passes_of(run)
    says += f" ({number(passes)} epochs)" if passes else ""
    held_out = whole(run, VAL_LOSS).finite.values if VAL_LOSS in run else np.empty(0)
    if len(held_out) and held_out.min() <= nats:
        # Not memory: the answers are easy, or what was held out was trained on.
        strength, lowest = MILD, number(float(held_out.min()))
        says = f"training loss ends at {end} per token and validation loss reaches {lowest}"
        says += ", far below that of unseen text"
    return Finding(strength, says, (loss.evidence(loss.end_steps, loss.end, nats),))


def _learned_by_pass(run: Run, loss: Curve, halved: float) -> Answer:
    """What a loss drops by where rows come again is memory; with nothing held out, nothing else shows."""
    levels = levels_of_passes(run, 2 * SHORT)
    if levels is None or any(series.quantity.split is Split.VALIDATION for series in run.series):
        return None
    firsts, lasts, _ = levels
    if len(lasts) < 2:
        return None
    drops = float((lasts[:-1] - firsts[1:]).sum())
    if lasts[-1] > halved * lasts[0] or drops < (lasts[0] - lasts[-1]) / 2:
        return None
    first, last = float(lasts[0]), float(lasts[-1])
    says = f"training loss falls from {number(first)} in the first pass over the data to {number(last)}"
    says += " in the last, most of it at epoch boundaries; no validation loss was logged"
    return Finding(MILD, says, (loss.evidence(loss.all_steps, last, halved * first),))


@sign(needs=(TRAIN_LOSS, VAL_LOSS))
def validation_starts_level(
    run: Run,
    *,
    apart: Annotated[float, "first gap over the training loss; bench/thresholds.md#gap"] = 0.25,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 6,
) -> Answer:
    """Validation starts at the level of training."""
    series = whole(run, VAL_LOSS).finite
    train, val = curve_of(whole(run, TRAIN_LOSS)), curve_of(series)
    if min(len(train), len(val)) < points or train.floorless or val.floorless or train.end <= 0:
        return CANNOT_TELL
    first = float(series.values[0])
    beside = train.level_at(float(shares(run, series)[0]))
    if abs(first - beside) > apart * abs(beside):
        return None
    ours, theirs = val.texts(first, beside)
    says = f"the first validation loss ({ours}) is at the level of training ({theirs})"
    at = float(series.steps[0])
    return Finding(1.0, says, (val.evidence((at, at), first, beside),))
