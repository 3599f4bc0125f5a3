"""The data that goes in."""

import math
from dataclasses import replace
from typing import Annotated

import numpy as np

from traindx.curves.facts import batches_per_epoch, fact_evidence, is_recording, location_of, stated_number
from traindx.curves.failure import not_finite_in
from traindx.curves.layers import matrices, units_of
from traindx.curves.limits import CLEAR, DECADE, LAST_QUARTER, NEARLY_ALL, STRONG, TINY, graded, linear
from traindx.curves.series import SORTED, by_layer, looked, neighbours_agree, seen_in
from traindx.facts import (
    FIRST_LAYER_NORMALISES,
    LABEL_FAULT,
    LOADER_PLACE,
    LOSS_PLACE,
    NONFINITE_SOURCE,
    PARAMETERS,
    SHUFFLE,
    TRAINING_SAMPLES,
    VALIDATION_PLACE,
)
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.format import number
from traindx.quantities import (
    ACTIVATION_STD,
    INPUT_MAX,
    INPUT_MEAN,
    INPUT_MIN,
    INPUT_NONFINITE_SHARE,
    INPUT_OUTLIER_SHARE,
    INPUT_SCALE_SPREAD,
    INPUT_STD,
    NEIGHBOUR_AGREEMENT,
    REPEATED_SHARE,
    WEIGHT_NORM,
)
from traindx.run import Floats, Run

_TINY_SET = 3.2
"""Times fewer samples than the limit, 20, that are fully clear; bench/thresholds.md#samples."""
_ABOVE_UNIT = 1.5
"""Root mean square from which on features are large; bench/thresholds.md#input-scale."""
_RARE = 4.0
"""Times what half of the batches reach; bench/thresholds.md#outliers."""


@sign(needs=(TRAINING_SAMPLES,), severity=Severity.WARNING)
def data_tiny(
    run: Run, *, samples: Annotated[int, "training samples; bench/thresholds.md#samples"] = 64
) -> Answer:
    """The training data is a handful of samples."""
    rows = stated_number(run, TRAINING_SAMPLES)
    if rows is None or rows <= 0:
        return CANNOT_TELL
    if rows > samples:
        return None
    says = f"there are {rows:.0f} training samples"
    evidence = fact_evidence(run, TRAINING_SAMPLES, LOADER_PLACE, limit=samples)
    return Finding(graded(samples / rows, 1.0, _TINY_SET), says, (evidence,))


@sign(needs=(PARAMETERS, TRAINING_SAMPLES))
def model_dwarfs_data(
    run: Run, *, ratio: Annotated[float, "parameters per sample; bench/thresholds.md#samples"] = 50.0
) -> Answer:
    """The model has many parameters for each training sample."""
    parameters, samples = stated_number(run, PARAMETERS), stated_number(run, TRAINING_SAMPLES)
    if not parameters or not samples:
        return CANNOT_TELL
    each = parameters / samples
    if each < ratio:
        return None
    says = f"{parameters:,.0f} parameters learn from {samples:,.0f} samples, {each:,.0f} for each"
    return Finding(graded(each, ratio, 2 * DECADE * ratio), says, (fact_evidence(run, TRAINING_SAMPLES),))


@sign(needs=((INPUT_NONFINITE_SHARE, NONFINITE_SOURCE),), severity=Severity.CRITICAL)
def inputs_not_finite(run: Run) -> Answer:
    """Values that enter the model are NaN or infinite."""
    return not_finite_in(run, INPUT_NONFINITE_SHARE, "input", "model's inputs")


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
    large, wide = typical >= size, differ >= spread and typical >= _ABOVE_UNIT
    small = 0 < typical < 1 / (DECADE * size)
    if not (large or wide or small):
        return None
    strength = max(
        graded(typical, size, 2 * DECADE * size) if large else 0.0,
        graded(differ, spread, 2 * DECADE * spread) if wide else 0.0,
        graded(1 / (DECADE * size * typical), 1.0, 100.0) if small else 0.0,
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
    expected = typical * max(gain, TINY)
    return float(spread.values[0]) < CLEAR * expected


@sign(needs=(INPUT_MAX, INPUT_MIN, INPUT_STD), severity=Severity.WARNING)
def input_outliers_seen(
    run: Run,
    *,
    times: Annotated[float, "largest value over the typical spread; bench/thresholds.md#outliers"] = 30.0,
    often: Annotated[float, "share of batches that hold some; bench/thresholds.md#outliers"] = 0.3,
    far: Annotated[float, "largest value over the spread; bench/thresholds.md#outliers"] = 10.0,
    looks: Annotated[int, "fewest looks; bench/thresholds.md#few-looks"] = 5,
) -> Answer:
    """Some batches hold values that lie far outside of what others hold."""
    high, low, std = looked(run, INPUT_MAX), looked(run, INPUT_MIN), looked(run, INPUT_STD)
    mean = looked(run, INPUT_MEAN)
    if high is None or low is None or std is None or mean is None or len(std) < looks:
        return CANNOT_TELL
    # A batch may have a largest value that is finite and a smallest that is not.
    steps = np.intersect1d(high.steps, low.steps)
    if len(steps) < looks:
        return CANNOT_TELL
    highs, lows = (one.values[np.isin(one.steps, steps)] for one in (high, low))
    # The quieter batches tell the usual spread: the loud ones hold what is looked for.
    usual = max(float(np.quantile(std.values, 1 - LAST_QUARTER)), TINY)
    centre = float(np.median(mean.values))
    reach = np.maximum(np.abs(highs - centre), np.abs(lows - centre))
    peak = int(np.argmax(reach))
    ratio = float(reach[peak]) / usual
    # Where every batch reaches as far, it is how the data is, not a few rows of it.
    rare = float(reach[peak]) > _RARE * float(np.median(reach))
    if not math.isfinite(ratio):
        return CANNOT_TELL
    if ratio < times or not rare:
        return _everywhere(run, reach, usual, often, far)
    at = float(steps[peak])
    says = f"a value lies {ratio:.0f} times the usual spread ({number(usual)}) away at step {at:,.0f}"
    says += f"; half of the batches reach {number(float(np.median(reach)) / usual)} times"
    return Finding(graded(ratio, times), says, (seen_in(high, float(reach[peak]), None, (at, at)),))


def _everywhere(run: Run, reach: Floats, usual: float, often: float, far: float) -> Answer:
    """A few values in many batches that lie far outside: of what is validated on, or of their own feature."""
    found = _beyond_validation(run, reach, far)
    if found is not None:
        return found
    share = looked(run, INPUT_OUTLIER_SHARE)
    if share is None:
        return None
    held, most = float(np.mean(share.values > 0)), float(np.max(reach)) / usual
    if held < often or most < far:
        return None
    typical = float(np.median(share.values[share.values > 0]))
    says = f"{held:.0%} of the batches hold values far outside of their feature's range, {typical:.2%} of all"
    return Finding(STRONG, says, (seen_in(share, typical, 0.0),))


def _beyond_validation(run: Run, reach: Floats, far: float) -> Finding | None:
    """Values of training that lie many times as far out as any that is validated on."""
    high, low = looked(run, INPUT_MAX, "validation"), looked(run, INPUT_MIN, "validation")
    mean, std = looked(run, INPUT_MEAN, "validation"), looked(run, INPUT_STD)
    if high is None or low is None or mean is None or std is None:
        return None
    centre = float(np.median(mean.values))
    farthest = max(float(np.max(high.values)) - centre, centre - float(np.min(low.values)))
    ratio = float(np.max(reach)) / max(farthest, TINY)
    # What is scaled otherwise as a whole has its values all over that range.
    spread = float(np.median(reach)) / max(float(np.median(std.values)), TINY)
    if farthest <= 0 or not math.isfinite(ratio) or ratio < far or spread < far:
        return None
    says = f"training inputs reach {ratio:.0f} times as far as any validation input, few of them"
    return Finding(graded(ratio, far), says, (seen_in(std, float(np.max(reach)), far * farthest),))


@sign(needs=(), severity=Severity.CRITICAL)
def labels_faulty(run: Run) -> Answer:
    """Targets lie outside of what the loss function and the outputs allow."""
    fault = run.facts.get(LABEL_FAULT)
    if not isinstance(fault, str) or not fault:
        return None if is_recording(run) else CANNOT_TELL
    return Finding(1.0, fault, (fact_evidence(run, LABEL_FAULT, LOSS_PLACE),))


@sign(needs=(NEIGHBOUR_AGREEMENT,), severity=Severity.WARNING)
def batches_sorted(
    run: Run,
    *,
    agreement: Annotated[float, "excess of equal neighbours; bench/thresholds.md#order"] = SORTED,
    looks: Annotated[int, "fewest looks; bench/thresholds.md#few-looks"] = 4,
) -> Answer:
    """Neighbours in a batch share their target far more often than in random order."""
    order, middle = looked(run, NEIGHBOUR_AGREEMENT), neighbours_agree(run, looks)
    if order is None or middle is None:
        return CANNOT_TELL
    if _holds_all(run):
        return None
    if middle < agreement:
        return None
    says = f"neighbours in a batch share their target: {middle:.2f}, where 0 is random order and 1 is sorted"
    says += ", and the loader does not shuffle" if run.facts.get(SHUFFLE) is False else ""
    strength = linear(middle, agreement, over=1 / 2, least=1 / 2)
    evidence = seen_in(order, middle, agreement)
    return Finding(strength, says, (replace(evidence, location=location_of(run, LOADER_PLACE)),))


def _holds_all(run: Run) -> bool:
    """Whether a batch is all of the data, so that its order means nothing."""
    again, batches = looked(run, REPEATED_SHARE), batches_per_epoch(run)
    same = again is not None and float(np.median(again.values)) > NEARLY_ALL
    return same or (batches is not None and batches <= 1)


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
    strength = max(linear(moved, shift), linear(wider, ratio, over=ratio))
    evidence = replace(seen_in(other_mean, there), location=location_of(run, VALIDATION_PLACE))
    return Finding(strength, says, (evidence,))
