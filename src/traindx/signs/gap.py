"""The gap between validation and training, and what a model has learned by heart."""

import math
from typing import Annotated

import numpy as np

from traindx.curves.curve import curve_of
from traindx.curves.facts import losses_differ, stated_number
from traindx.curves.limits import CLEAR, FAIR, NOISES, NOTHING, SMALL, graded
from traindx.curves.objective import as_share
from traindx.curves.recognition import objective_of
from traindx.curves.series import shares, whole
from traindx.facts import PLANNED_EPOCHS
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.format import multiple, number, percentage
from traindx.objective import FINE_TUNING, LANGUAGE_MODELING, Problem
from traindx.quantities import (
    EPOCH,
    TRAIN_ACCURACY,
    TRAIN_LOSS,
    TRAIN_SCORE,
    VAL_ACCURACY,
    VAL_LOSS,
    VAL_SCORE,
)
from traindx.run import Axis, Run, Series

_HALF = 0.5
"""Share of a run after which validation has to gain something still; bench/thresholds.md#gap."""


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
    trained = {one.part: one for one in run.all(TRAIN_SCORE) if _is_share(one)}
    checked = {one.part: one for one in run.all(VAL_SCORE) if _is_share(one)}
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


@sign(needs=(TRAIN_LOSS, VAL_LOSS), severity=Severity.WARNING, problem=Problem.OVERFITS, healthy=-2.50)
def gap_widens(
    run: Run,
    *,
    fall: Annotated[float, "late fall of training over its level; bench/thresholds.md#gap"] = 0.2,
    wide: Annotated[float, "last gap over the validation loss; bench/thresholds.md#gap"] = 0.25,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 10,
) -> Answer:
    """Training loss keeps falling while validation loss has stopped."""
    train, val = curve_of(whole(run, TRAIN_LOSS)), curve_of(whole(run, VAL_LOSS))
    if min(len(train), len(val)) < points or train.floorless or val.floorless or val.end <= 0:
        return CANNOT_TELL
    if losses_differ(run):
        return CANNOT_TELL
    before, middle = train.level_at(_HALF), val.level_at(_HALF)
    falls = before - train.end > max(fall * abs(before), NOISES * train.end_noise)
    # What validation still gains must be next to nothing, of its level and of what training gains.
    gains = middle - val.end > max(SMALL * middle, CLEAR * (before - train.end))
    gap, earlier = val.end - train.end, middle - before
    # Near zero every gap is wide: it must also be a clear part of what there was to learn.
    narrow = gap < max(wide * val.end, CLEAR * max(train.start, val.start))
    if not falls or gains or narrow or gap < earlier + CLEAR * val.end or _metric_holds(run):
        return None
    first, last = train.texts(before, train.end)
    flat, end = val.texts(middle, val.end)
    says = f"in the second half training loss falls from {first} to {last}, validation loss stays at {flat}"
    says += f" ({end} at the end)" if end != flat else ""
    evidence = val.evidence(val.since(_HALF), val.end, middle)
    return Finding(graded(val.end / max(train.end, SMALL * val.end), 1 / (1 - wide)), says, (evidence,))


def _metric_holds(run: Run) -> bool:
    """Whether the metric that a model is judged by ends at its best, whatever its loss does."""
    quantity = next((one for one in (VAL_ACCURACY, VAL_SCORE) if one in run), None)
    metric = curve_of(whole(run, quantity)) if quantity else None
    if metric is None or not len(metric):
        return False
    return metric.end - metric.best <= max(NOISES * metric.end_noise, NOTHING * metric.size)


@sign(needs=(TRAIN_LOSS,), severity=Severity.SERIOUS, problem=Problem.OVERFITS, healthy=-3.00)
def tokens_memorized(
    run: Run,
    *,
    nats: Annotated[float, "loss per token that text never allows; bench/thresholds.md#memorized"] = 0.1,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 6,
) -> Answer:
    """A language model predicts its training tokens with near certainty."""
    loss = curve_of(whole(run, TRAIN_LOSS))
    if objective_of(run) not in (LANGUAGE_MODELING, FINE_TUNING) or len(loss) < points:
        return CANNOT_TELL
    # A score of a classifier that is fine-tuned may end at zero by right; so may a loss that began there.
    if TRAIN_ACCURACY in run or VAL_ACCURACY in run or loss.start < 1 or loss.floorless:
        return CANNOT_TELL
    if loss.end > nats:
        return None
    says = f"training loss ends at {number(loss.end)} per token: each is predicted with"
    says += f" {percentage(math.exp(-loss.end), 1)}, which only repeated text allows"
    passes = _passes(run)
    says += f" ({number(passes)} epochs)" if passes else ""
    strength = graded(nats / max(loss.end, nats * SMALL), 1.0, least=FAIR)
    return Finding(strength, says, (loss.evidence(loss.end_steps, loss.end, nats),))


def _passes(run: Run) -> float | None:
    """How many times the data was seen, as far as that is known."""
    if EPOCH in run:
        return float(np.max(whole(run, EPOCH).finite.values, initial=0.0)) or None
    by_epoch = [series for series in run.all(TRAIN_LOSS) if series.axis is Axis.EPOCH and len(series)]
    return float(by_epoch[0].steps[-1]) if by_epoch else stated_number(run, PLANNED_EPOCHS)


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
