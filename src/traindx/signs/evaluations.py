"""What evaluations tell by themselves: whether anything changes between them, and when they were made."""

from typing import Annotated

import numpy as np

from traindx.curves.curve import curve_of
from traindx.curves.series import seen_in, shares, whole
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.format import count, number
from traindx.objective import Problem
from traindx.quantities import TRAIN_LOSS, TRAIN_SCORE, VAL_ACCURACY, VAL_LOSS, VAL_PERPLEXITY, VAL_SCORE
from traindx.run import Run

_DIGITS = 5
"""Digits that cannot agree by chance; bench/thresholds.md#never-moves."""
_SHOWN = 6
"""Digits shown of a loss that never changes; bench/thresholds.md#never-moves."""
_OF_TASKS = ("map", "iou", "dice", "success", "win_rate")
"""Scores of which a model that does its task has a good part; bench/thresholds.md#near-nothing."""


@sign(needs=((VAL_LOSS, VAL_PERPLEXITY),))
def validation_only_at_start(
    run: Run,
    *,
    share: Annotated[float, "of the run; bench/thresholds.md#once"] = 0.1,
) -> Answer:
    """Validation loss was measured once, before training."""
    series = whole(run, VAL_LOSS if VAL_LOSS in run else VAL_PERPLEXITY).finite
    if len(series) != 1 or float(shares(run, series)[0]) > share:
        return None
    value, at = float(series.values[0]), float(series.steps[0])
    says = f"validation loss was measured only once, at {series.axis.value} {at:,.0f} ({number(value)})"
    return Finding(1.0, says, (seen_in(series, value),))


@sign(needs=(VAL_LOSS,), severity=Severity.SERIOUS, problem=Problem.VALIDATION_OFF)
def validation_never_moves(
    run: Run,
    *,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 4,
) -> Answer:
    """Validation loss is identical at every evaluation."""
    series = whole(run, VAL_LOSS).finite
    if len(series) < points:
        return CANNOT_TELL
    if bool(np.any(series.values != series.values[0])):
        return None
    # A few digits may hide small steps; many that agree cannot.
    digits = len(f"{float(series.values[0]):.11e}".partition("e")[0].replace(".", "").strip("-0"))
    value = float(series.values[0])
    says = f"all {count(len(series), 'validation loss', 'validation losses')} are exactly"
    says += f" {number(value, _SHOWN)}"
    evidence = seen_in(series, value)
    return Finding(1.0 if digits >= _DIGITS else 1 / 2, says, (evidence,))


def _counts_nothing(run: Run) -> bool:
    """Whether an accuracy is of no use: numbers are never exactly right, however well learned."""
    if VAL_ACCURACY not in run or not np.any(whole(run, VAL_ACCURACY).finite.values):
        return True
    losses = [curve_of(whole(run, quantity)) for quantity in (TRAIN_LOSS, VAL_LOSS) if quantity in run]
    # Answers that never change can learn how frequent they are, and no more.
    return any(loss.end < loss.start / 2 for loss in losses if len(loss) and not loss.floorless)


@sign(
    needs=((VAL_ACCURACY, VAL_SCORE),), severity=Severity.SERIOUS, problem=Problem.NOT_LEARNING, healthy=-3.50
)
def validation_metric_never_moves(
    run: Run,
    *,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 10,
) -> Answer:
    """Validation accuracy or score is identical at every evaluation."""
    counted = [] if _counts_nothing(run) else run.all(VAL_ACCURACY)
    measured = [series.finite for series in (*counted, *run.all(VAL_SCORE)) if len(series.finite) >= points]
    if not measured:
        return CANNOT_TELL
    # A score may be without use, or perfect; where none of them ever changes, no answer does.
    if any(bool(np.any(series.values != series.values[0])) for series in measured):
        return None
    longest = max(measured, key=len)
    value = float(longest.values[0])
    if value >= 1:
        return None
    says = f"{longest.quantity.called} is exactly {number(value, _SHOWN)} in all"
    says += f" {count(len(longest), 'evaluation')}"
    return Finding(1.0, says, (seen_in(longest, value),))


@sign(
    needs=((VAL_SCORE, TRAIN_SCORE),), severity=Severity.SERIOUS, problem=Problem.NOT_LEARNING, healthy=-7.00
)
def score_near_nothing(
    run: Run,
    *,
    share: Annotated[float, "of its scale, at its best; bench/thresholds.md#near-nothing"] = 0.15,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 4,
) -> Answer:
    """Score of the task never leaves the bottom of its scale."""
    series = run.all(VAL_SCORE) or run.all(TRAIN_SCORE)
    scores = [
        (curve.finite, _bottom(f"{curve.part} {curve.name}".lower()))
        for curve in series
        if len(curve.finite) >= points
    ]
    # Of thresholds that one score is measured at, the easiest tells most.
    best = [
        (max(-curve_of(curve).best - bottom, 0.0) / (1 - bottom), curve)
        for curve, bottom in scores
        if bottom is not None and float(curve.values.min()) >= 0 and float(curve.values.max()) <= 1
    ]
    if not best:
        return CANNOT_TELL
    reached, score = max(best, key=lambda pair: pair[0])
    if reached >= share:
        return None
    highest = -curve_of(score).best
    says = f"{score.quantity.called} {score.part} never rises above {number(highest)}"
    return Finding(1 - reached / (2 * share), says, (seen_in(score, highest),))


def _bottom(name: str) -> float | None:
    """What a model that knows nothing scores; None for a score that may be low by right."""
    if "auc" in name and "pr" not in name:
        return 1 / 2
    return 0.0 if any(word in name for word in _OF_TASKS) else None
