"""Validation data of another kind."""

from dataclasses import replace
from typing import Annotated

import numpy as np

from traindx.curves.inside import looked, seen_in
from traindx.curves.stated import place_of
from traindx.facts import VALIDATION_PLACE
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.format import number
from traindx.quantities import INPUT_MEAN, INPUT_STD
from traindx.run import Run


@sign(needs=(INPUT_MEAN, INPUT_STD), severity=Severity.WARNING)
def validation_inputs_differ(
    run: Run,
    *,
    shift: Annotated[float, "of the mean, in training spreads; bench/thresholds.md#mismatch"] = 0.4,
    ratio: Annotated[float, "of the spreads; bench/thresholds.md#mismatch"] = 1.5,
) -> Answer:
    """Validation inputs have another mean or spread than training inputs."""
    mean, other_mean = looked(run, INPUT_MEAN), looked(run, INPUT_MEAN, "validation")
    std, other_std = looked(run, INPUT_STD), looked(run, INPUT_STD, "validation")
    if mean is None or other_mean is None or std is None or other_std is None:
        return CANNOT_TELL
    here, there = float(np.median(mean.values)), float(np.median(other_mean.values))
    spread, other = float(np.median(std.values)), float(np.median(other_std.values))
    if spread <= 0 or other <= 0:
        return CANNOT_TELL
    # Training batches differ among themselves: by that much validation may differ as well.
    noise = float(np.std(mean.values)) / spread
    moved = abs(there - here) / spread - 2 * noise
    wider = max(other / spread, spread / other)
    if moved < shift and wider < ratio:
        return None
    says = f"validation inputs have mean {number(there)} and spread {number(other)}"
    says += f", training inputs {number(here)} and {number(spread)}"
    strength = max(min(1.0, 0.4 + 0.6 * (moved - shift)), min(1.0, 0.4 + 0.6 * (wider - ratio) / ratio))
    evidence = replace(seen_in(other_mean, there), place=place_of(run, VALIDATION_PLACE))
    return Finding(max(strength, 0.4), says, (evidence,))
