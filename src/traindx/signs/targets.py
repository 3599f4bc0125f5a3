"""Outputs, targets and the loss function between them."""

import math
from typing import Annotated

import numpy as np

from traindx.curves.facts import compares_numbers, fact_evidence, stated_number, stated_word
from traindx.curves.failure import not_finite_in
from traindx.curves.layers import EARLY
from traindx.curves.limits import FAIR, FAR, FEW, TINY, WEAK, graded
from traindx.curves.series import last_part, looked, seen_in
from traindx.facts import (
    BACKWARD_PLACE,
    BATCH_SIZE,
    FROM_LOGITS,
    LOSS_FACTOR,
    LOSS_FUNCTION,
    LOSS_PLACE,
    LOSS_REDUCTION,
    LOSS_SHAPES,
    NONFINITE_SOURCE,
    OUTPUT_ACTIVATION,
    OUTPUTS,
    TARGET_VALUES,
    TARGETS_ARE_WHOLE,
)
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.format import number
from traindx.quantities import (
    PREDICTION_MAX,
    PREDICTION_MEAN,
    PREDICTION_MIN,
    PREDICTION_STD,
    TARGET_MAX,
    TARGET_MEAN,
    TARGET_MIN,
    TARGET_NONFINITE_SHARE,
    TARGET_STD,
)
from traindx.run import Run, Series

_SAYS_NOTHING = 0.001
"""Root mean square below which predictions are as good as zero; bench/thresholds.md#target-scale."""
_ALIKE = (0.6, 1.5)
"""Spread of late predictions over that of the targets they match; bench/thresholds.md#target-scale."""
_MASKED = 1e5
"""Scores beyond which they stand for what is masked out; bench/thresholds.md#logits."""
_EVEN_VARIANCE = 12
"""Of n equally likely numbers the variance is (n^2 - 1) / 12; bench/thresholds.md#classes-as-numbers."""
_CENTRED = 0.35
"""Distance of the mean from the middle, in spreads; bench/thresholds.md#classes-as-numbers."""
_EVEN = 0.25
"""Distance of the spread from that of a fair die, over it; bench/thresholds.md#classes-as-numbers."""
_SAME = 0.01
"""Factors that differ by less are the same; bench/thresholds.md#reduction."""


@sign(needs=((TARGET_NONFINITE_SHARE, NONFINITE_SOURCE),), severity=Severity.CRITICAL)
def targets_not_finite(run: Run) -> Answer:
    """Targets are NaN or infinite."""
    return not_finite_in(run, TARGET_NONFINITE_SHARE, "target", "targets")


@sign(needs=(TARGET_MEAN, TARGET_STD, PREDICTION_MEAN, LOSS_FUNCTION), severity=Severity.WARNING)
def targets_unscaled(
    run: Run,
    *,
    times: Annotated[float, "targets over first predictions; bench/thresholds.md#target-scale"] = 8.0,
    size: Annotated[float, "root mean square; bench/thresholds.md#target-scale"] = 4.0,
    tiny: Annotated[float, "root mean square; bench/thresholds.md#target-scale"] = 0.05,
) -> Answer:
    """The numbers to predict are many times larger or smaller than what the model says at first."""
    mean, std, guess = looked(run, TARGET_MEAN), looked(run, TARGET_STD), looked(run, PREDICTION_MEAN)
    if mean is None or std is None or guess is None:
        return CANNOT_TELL
    if not compares_numbers(run):
        return None
    spread = looked(run, PREDICTION_STD)
    first = math.hypot(float(guess.values[0]), float(spread.values[0]) if spread is not None else 0.0)
    targets = math.hypot(float(np.median(mean.values[:EARLY])), float(np.median(std.values[:EARLY])))
    ratio = targets / max(first, _SAYS_NOTHING)
    is_large, is_tiny = ratio >= times and targets >= size, ratio <= 1 / times and 0 < targets <= tiny
    if not math.isfinite(ratio) or not (is_large or is_tiny) or _reached(mean, std, guess, spread):
        return None
    says = f"targets have a root mean square of {number(targets)}, the first predictions {number(first)}"
    apart = ratio if is_large else 1 / max(ratio, TINY)
    return Finding(graded(apart, times, FAR * times), says, (seen_in(mean, targets),))


def _reached(mean: Series, std: Series, guess: Series, spread: Series | None) -> bool:
    """Whether late predictions lie and vary as the targets do: then their scale was no hindrance."""
    if spread is None:
        return False
    centre, width = float(np.median(mean.values)), float(np.median(std.values))
    off = abs(float(np.median(last_part(guess.values))) - centre)
    return (
        off < width / 2 and _ALIKE[0] * width < float(np.median(last_part(spread.values))) < _ALIKE[1] * width
    )


@sign(needs=(OUTPUT_ACTIVATION, TARGET_MIN), severity=Severity.SERIOUS)
def output_rectified(run: Run) -> Answer:
    """The output passes a ReLU, and targets are negative or every prediction is zero."""
    low, given = looked(run, TARGET_MIN), stated_word(run, OUTPUT_ACTIVATION)
    if low is None:
        return CANNOT_TELL
    if given != "relu" or not compares_numbers(run):
        return None
    least, highest = float(low.values.min()), looked(run, PREDICTION_MAX)
    rests = highest is not None and float(highest.values[-1]) == 0
    if least >= 0 and not rests:
        return None
    says = f"a ReLU makes the output, and targets go down to {number(least)}"
    if rests:
        says = "a ReLU makes the output, and every prediction of the last look is zero"
    return Finding(1.0, says, (fact_evidence(run, OUTPUT_ACTIVATION, LOSS_PLACE), seen_in(low, least, 0.0)))


_OF_SCORES = ("cross_entropy", "binary_cross_entropy_with_logits", "multilabel_soft_margin_loss")


@sign(needs=(PREDICTION_MIN, PREDICTION_MAX, LOSS_FUNCTION), severity=Severity.WARNING)
def output_scores_drift(
    run: Run,
    *,
    size: Annotated[float, "largest score; bench/thresholds.md#logits"] = 60.0,
    growth: Annotated[float, "largest score over the first; bench/thresholds.md#logits"] = 5.0,
) -> Answer:
    """The scores a model gives for its classes grow far beyond what a softmax needs."""
    low, high = looked(run, PREDICTION_MIN), looked(run, PREDICTION_MAX)
    if low is None or high is None or len(high) < FEW or len(low) != len(high):
        return CANNOT_TELL
    if compares_numbers(run) or run.facts.get(LOSS_FUNCTION) not in _OF_SCORES:
        return None
    reach = np.maximum(np.abs(low.values), np.abs(high.values))
    late, first = float(np.median(last_part(reach))), float(reach[0])
    # What is masked out is set to a thousand millions below zero, and no score.
    if late < size or late > _MASKED:
        return None
    says = f"scores reach {number(late)}, from {number(first)} at first; a difference of 20 is certainty"
    # Scores that were large from the start may be meant so, as a temperature makes them.
    strength = graded(late, size) * (1.0 if late > growth * first else FAIR)
    return Finding(strength, says, (seen_in(high, late, size),))


@sign(needs=((LOSS_FUNCTION, LOSS_SHAPES),), severity=Severity.SERIOUS, healthy=-4.00)
def shapes_broadcast(run: Run) -> Answer:
    """Prediction and target differ in shape, and the loss stretches one to the other."""
    shapes = run.facts.get(LOSS_SHAPES)
    if not isinstance(shapes, str) or not shapes:
        return None
    loss = run.facts.get(LOSS_FUNCTION, "the loss")
    says = f"{loss} stretches shapes to each other: {shapes}, so that each prediction is"
    says += " compared with the target of every sample"
    return Finding(1.0, says, (fact_evidence(run, LOSS_SHAPES, LOSS_PLACE, BACKWARD_PLACE),))


_RAW = ("cross_entropy", "binary_cross_entropy_with_logits", "multilabel_soft_margin_loss")
_PROBABILITIES = ("categorical_crossentropy", "sparse_categorical_crossentropy", "binary_crossentropy")
_SQUASHED = ("softmax", "sigmoid", "relu", "tanh", "softplus", "hardtanh", "hardsigmoid")


@sign(needs=(OUTPUT_ACTIVATION, LOSS_FUNCTION), severity=Severity.SERIOUS, formerly="squashed_twice")
def activation_before_logits_loss(run: Run) -> Answer:
    """The output of an activation enters a loss function that expects raw scores."""
    loss, given = stated_word(run, LOSS_FUNCTION), stated_word(run, OUTPUT_ACTIVATION)
    expects_raw = loss in _RAW or (loss in _PROBABILITIES and run.facts.get(FROM_LOGITS) is True)
    # The logarithm of a softmax passes through another one unchanged.
    if not expects_raw or given not in _SQUASHED:
        return None
    if given in ("softmax", "sigmoid"):
        why = "applied twice: scores between 0 and 1 cannot make the loss small"
    else:
        why = "which cuts off scores that the loss needs"
    says = f"the output of a {given} enters {loss}, which expects raw scores: {why}"
    return Finding(1.0, says, (fact_evidence(run, OUTPUT_ACTIVATION, LOSS_PLACE),))


@sign(
    needs=(LOSS_FUNCTION, TARGET_VALUES, TARGETS_ARE_WHOLE),
    severity=Severity.WARNING,
    healthy=-2.52,
    formerly="classes_fed_to_number_loss",
)
def class_labels_in_regression_loss(
    run: Run,
    *,
    fewest: Annotated[int, "different targets; bench/thresholds.md#classes-as-numbers"] = 3,
    most: Annotated[int, "different targets; bench/thresholds.md#classes-as-numbers"] = 20,
) -> Answer:
    """Targets that look like the numbers of classes enter a loss that measures distances."""
    values, low, high = stated_number(run, TARGET_VALUES), looked(run, TARGET_MIN), looked(run, TARGET_MAX)
    if values is None or low is None or high is None:
        return CANNOT_TELL
    single = stated_number(run, OUTPUTS) == 1
    if not compares_numbers(run) or run.facts.get(TARGETS_ARE_WHOLE) is not True or not single:
        return None
    least, largest = float(low.values.min()), float(high.values.max())
    # Every number from 0 to the largest, and no other.
    if not fewest <= values <= most or least != 0 or largest != values - 1:
        return None
    says = f"the targets are the whole numbers 0 to {largest:g}, like the numbers of {values:g} classes, and"
    says += f" {run.facts[LOSS_FUNCTION]} takes them for amounts"
    # Classes tend to be equally frequent, counts and ratings crowd at one end.
    strength = 1.0 if _is_even(run, values) else WEAK
    return Finding(strength, says, (fact_evidence(run, TARGET_VALUES, LOSS_PLACE),))


def _is_even(run: Run, values: float) -> bool:
    """Whether the targets spread over their range about as evenly as a fair die."""
    mean, std = looked(run, TARGET_MEAN), looked(run, TARGET_STD)
    if mean is None or std is None:
        return False
    centre, spread = (values - 1) / 2, math.sqrt((values**2 - 1) / _EVEN_VARIANCE)
    off = abs(float(np.median(mean.values)) - centre)
    return off < _CENTRED * spread and abs(float(np.median(std.values)) / spread - 1) < _EVEN


@sign(needs=(LOSS_FACTOR,), severity=Severity.CRITICAL)
def loss_negated(run: Run) -> Answer:
    """What enters the backward pass is the loss with its sign turned."""
    factor = stated_number(run, LOSS_FACTOR)
    if factor is None:
        return CANNOT_TELL
    if factor >= 0:
        return None
    says = f"the backward pass starts from {factor:g} times the loss, so that each step makes it larger"
    return Finding(1.0, says, (fact_evidence(run, LOSS_FACTOR, BACKWARD_PLACE, LOSS_PLACE),))


@sign(needs=(LOSS_REDUCTION,))
def loss_summed(
    run: Run, *, factor: Annotated[float, "loss over its mean; bench/thresholds.md#reduction"] = 8.0
) -> Answer:
    """The loss is summed over its samples, so that the gradient grows with the batch."""
    times = stated_number(run, LOSS_FACTOR) or 1.0
    batch = stated_number(run, BATCH_SIZE) or 1.0
    # Divided by the batch afterwards, a sum is a mean again.
    summed = stated_word(run, LOSS_REDUCTION) == "sum" and times * batch >= factor
    if not summed and not (stated_word(run, LOSS_REDUCTION) != "sum" and times >= factor):
        return None
    outputs = stated_number(run, OUTPUTS) or 1.0
    if not summed and math.isclose(times, outputs, rel_tol=_SAME) and not math.isclose(times, batch):
        # Summed over the outputs of a sample, as likelihoods are, and averaged over samples.
        return None
    says = (
        f"the loss is the sum over a batch of {batch:g}"
        if summed
        else f"the loss is {times:g} times its mean"
    )
    says += ", so that steps are that much longer than with the mean"
    return Finding(1.0, says, (fact_evidence(run, LOSS_REDUCTION, LOSS_PLACE),))
