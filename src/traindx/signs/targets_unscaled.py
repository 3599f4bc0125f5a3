"""Targets far from anything the model says at first."""

import math
from typing import Annotated

import numpy as np

from traindx.curves.inside import EARLY, compares_numbers, graded, last_part, looked, seen_in
from traindx.facts import LOSS_FUNCTION
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.format import number
from traindx.quantities import PREDICTION_MEAN, PREDICTION_STD, TARGET_MEAN, TARGET_STD
from traindx.run import Run, Series


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
    ratio = targets / max(first, 1e-3)
    is_large, is_tiny = ratio >= times and targets >= size, ratio <= 1 / times and 0 < targets <= tiny
    if not math.isfinite(ratio) or not (is_large or is_tiny) or _reached(mean, std, guess, spread):
        return None
    says = f"targets have a root mean square of {number(targets)}, the first predictions {number(first)}"
    apart = ratio if is_large else 1 / max(ratio, 1e-12)
    return Finding(graded(apart, times, 30 * times), says, (seen_in(mean, targets),))


def _reached(mean: Series, std: Series, guess: Series, spread: Series | None) -> bool:
    """Whether late predictions lie and vary as the targets do: then their scale was no hindrance."""
    if spread is None:
        return False
    centre, width = float(np.median(mean.values)), float(np.median(std.values))
    off = abs(float(np.median(last_part(guess.values))) - centre)
    return off < 0.5 * width and 0.6 * width < float(np.median(last_part(spread.values))) < 1.5 * width
