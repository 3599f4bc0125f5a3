"""Outputs, targets and the loss function between them."""

import math
from typing import Annotated

import numpy as np

from traindx.curves.facts import compares_numbers, fact_evidence, needs_beginning, stated_number, stated_word
from traindx.curves.failure import not_finite_in
from traindx.curves.layers import EARLY
from traindx.curves.limits import FAIR, FAR, FEW, MISTAKE, TINY, WEAK, graded
from traindx.curves.series import last_part, looked, seen_in
from traindx.facts import (
    BACKWARD_PLACE,
    BATCH_SIZE,
    LOSS_FACTOR,
    LOSS_FUNCTION,
    LOSS_PLACE,
    LOSS_REDUCTION,
    LOSS_SHAPES,
    NONFINITE_SOURCE,
    OUTPUTS,
    TARGET_VALUES,
    TARGETS_ARE_WHOLE,
)
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.format import code, multiple, number
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
_CENTERD = 0.35
"""Distance of the mean from the middle, in spreads; bench/thresholds.md#classes-as-numbers."""
_EVEN = 0.25
"""Distance of the spread from that of a fair die, over it; bench/thresholds.md#classes-as-numbers."""
_SAME = 0.01
"""Factors that differ by less are the same; bench/thresholds.md#reduction."""


@sign(needs=((TARGET_NONFINITE_SHARE, NONFINITE_SOURCE),), severity=Severity.CRITICAL)
def targets_not_finite(run: Run) -> Answer:
    """Targets contain NaN or infinity."""
    return not_finite_in(run, TARGET_NONFINITE_SHARE, "target", "targets")


@sign(needs=(TARGET_MEAN, TARGET_STD, PREDICTION_MEAN, LOSS_FUNCTION), severity=Severity.WARNING)
@needs_beginning
def targets_unscaled(
    run: Run,
    *,
    times: Annotated[float, "targets over first predictions; bench/thresholds.md#target-scale"] = 8.0,
    size: Annotated[float, "RMS; bench/thresholds.md#target-scale"] = 4.0,
    tiny: Annotated[float, "RMS; bench/thresholds.md#target-scale"] = 0.05,
) -> Answer:
    """Targets are on a much larger or smaller scale than the first predictions."""
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
    says = f"targets have RMS {number(targets)}, the first predictions {number(first)}"
    apart = ratio if is_large else 1 / max(ratio, TINY)
    return Finding(graded(apart, times, FAR * times), says, (seen_in(mean, targets),))


def _reached(mean: Series, std: Series, guess: Series, spread: Series | None) -> bool:
    """Whether late predictions lie and vary as the targets do: then their scale was no hindrance."""
    if spread is None:
        return False
    center, width = float(np.median(mean.values)), float(np.median(std.values))
    off = abs(float(np.median(last_part(guess.values))) - center)
    return (
        off < width / 2 and _ALIKE[0] * width < float(np.median(last_part(spread.values))) < _ALIKE[1] * width
    )


_OF_SCORES = ("cross_entropy", "binary_cross_entropy_with_logits", "multilabel_soft_margin_loss")


@sign(needs=(PREDICTION_MIN, PREDICTION_MAX, LOSS_FUNCTION), severity=Severity.WARNING)
def output_scores_drift(
    run: Run,
    *,
    size: Annotated[float, "largest logit; bench/thresholds.md#logits"] = 60.0,
    growth: Annotated[float, "largest logit over the first; bench/thresholds.md#logits"] = 5.0,
) -> Answer:
    """Runaway output logits."""
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
    says = (
        f"output logits reach {number(late)} (first {number(first)}); a difference of 20 is already certainty"
    )
    # Scores that were large from the start may be meant so, as a temperature makes them.
    strength = graded(late, size) * (1.0 if late > growth * first else FAIR)
    return Finding(strength, says, (seen_in(high, late, size),))


@sign(needs=((LOSS_FUNCTION, LOSS_SHAPES),), severity=Severity.SERIOUS, healthy=MISTAKE)
def shapes_broadcast(run: Run) -> Answer:
    """Shapes of prediction and target broadcast in the loss."""
    shapes = run.facts.get(LOSS_SHAPES)
    if not isinstance(shapes, str) or not shapes:
        return None
    loss = run.facts.get(LOSS_FUNCTION)
    says = f"{code(str(loss)) if loss else 'the loss'} broadcasts {shapes}: every prediction is compared"
    says += " with every target"
    return Finding(1.0, says, (fact_evidence(run, LOSS_SHAPES, LOSS_PLACE, BACKWARD_PLACE),))


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
    """Class labels go into a regression loss."""
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
    says = f"{code(str(run.facts[LOSS_FUNCTION]))} treats targets 0 to {largest:.0f} as amounts"
    says += f", but they look like {values:.0f} class labels"
    # Classes tend to be equally frequent, counts and ratings crowd at one end.
    strength = 1.0 if _is_even(run, values) else WEAK
    return Finding(strength, says, (fact_evidence(run, TARGET_VALUES, LOSS_PLACE),))


def _is_even(run: Run, values: float) -> bool:
    """Whether the targets spread over their range about as evenly as a fair die."""
    mean, std = looked(run, TARGET_MEAN), looked(run, TARGET_STD)
    if mean is None or std is None:
        return False
    center, spread = (values - 1) / 2, math.sqrt((values**2 - 1) / _EVEN_VARIANCE)
    off = abs(float(np.median(mean.values)) - center)
    return off < _CENTERD * spread and abs(float(np.median(std.values)) / spread - 1) < _EVEN


@sign(needs=(LOSS_FACTOR,), severity=Severity.CRITICAL)
def loss_negated(run: Run) -> Answer:
    """Loss is negated before backward()."""
    factor = stated_number(run, LOSS_FACTOR)
    if factor is None:
        return CANNOT_TELL
    if factor >= 0:
        return None
    says = f"loss is multiplied by {number(factor)} before backward(), so each step increases it"
    return Finding(1.0, says, (fact_evidence(run, LOSS_FACTOR, BACKWARD_PLACE, LOSS_PLACE),))


@sign(needs=(LOSS_REDUCTION,))
def loss_summed(
    run: Run, *, factor: Annotated[float, "loss over its mean; bench/thresholds.md#reduction"] = 8.0
) -> Answer:
    """Loss is summed over the batch instead of averaged."""
    times = stated_number(run, LOSS_FACTOR) or 1.0
    batch = stated_number(run, BATCH_SIZE) or 1.0
    # Divided by the batch afterward, a sum is a mean again.
    summed = stated_word(run, LOSS_REDUCTION) == "sum" and times * batch >= factor
    if not summed and not (stated_word(run, LOSS_REDUCTION) != "sum" and times >= factor):
        return None
    outputs = stated_number(run, OUTPUTS) or 1.0
    if not summed and math.isclose(times, outputs, rel_tol=_SAME) and not math.isclose(times, batch):
        # Summed over the outputs of a sample, as likelihoods are, and averaged over samples.
        return None
    says = f"loss is {multiple(times)} its mean, and so are the gradients"
    if summed:
        says = f"loss is summed over a batch of {number(batch)}, so gradients grow with the batch size"
    return Finding(1.0, says, (fact_evidence(run, LOSS_REDUCTION, LOSS_PLACE),))
