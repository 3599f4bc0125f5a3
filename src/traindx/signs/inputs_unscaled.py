"""Inputs whose scale the model has to undo."""

import math
from typing import Annotated

import numpy as np

from traindx.curves.inside import by_layer, graded, looked, matrices, seen_in, units_of
from traindx.facts import FIRST_LAYER_NORMALISES
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.format import number
from traindx.quantities import ACTIVATION_STD, INPUT_MEAN, INPUT_SCALE_SPREAD, INPUT_STD, WEIGHT_NORM
from traindx.run import Run


@sign(needs=(INPUT_STD, INPUT_MEAN), severity=Severity.WARNING)
def inputs_unscaled(
    run: Run,
    *,
    size: Annotated[float, "root mean square; bench/thresholds.md#input-scale"] = 8.0,
    spread: Annotated[float, "largest over typical feature; bench/thresholds.md#input-scale"] = 15.0,
) -> Answer:
    """What enters the model is far from unit scale, or its features differ widely in scale."""
    mean, std = looked(run, INPUT_MEAN), looked(run, INPUT_STD)
    if mean is None or std is None:
        return CANNOT_TELL
    first = run.model[0].kind if run.model else ""
    if run.facts.get(FIRST_LAYER_NORMALISES) is True or "Norm" in first:
        return None
    typical = math.hypot(float(np.median(mean.values)), float(np.median(std.values)))
    if _scaled_inside(run, typical):
        return None
    scales = looked(run, INPUT_SCALE_SPREAD)
    differ = float(np.median(scales.values)) if scales is not None else 1.0
    # Features that differ while all are small are counts and flags: the large ones are what harms.
    large, wide = typical >= size, differ >= spread and typical >= 1.5
    small = 0 < typical < 1 / (10 * size)
    if not (large or wide or small):
        return None
    strength = max(
        graded(typical, size, 20 * size) if large else 0.0,
        graded(differ, spread, 20 * spread) if wide else 0.0,
        graded(1 / (10 * size * typical), 1.0, 100.0) if small else 0.0,
    )
    says = f"inputs have a root mean square of {number(typical)}"
    says += f", and the largest feature spreads {differ:.0f} times the typical one" if wide else ""
    return Finding(min(1.0, strength), says, (seen_in(std, float(np.median(std.values)), size),))


def _scaled_inside(run: Run, typical: float) -> bool:
    """Whether the first layer gives outputs of unit scale: the model does by itself what its inputs lack."""
    first = next(iter(matrices(run, WEIGHT_NORM)), None)
    if first is None:
        return False
    owner = first.layer.name.rpartition(".")[0]
    spread = next((one for one in by_layer(run, ACTIVATION_STD) if one.layer == owner), None)
    if spread is None:
        return False
    # A layer of ordinary weights passes on the scale of what enters it.
    gain = first.first / math.sqrt(max(units_of(first.layer), 1))
    expected = typical * max(gain, 1e-12)
    return float(spread.values[0]) < 0.1 * expected
