"""The data that goes in."""

import math
from dataclasses import replace
from typing import Annotated

import numpy as np

from traindx.curves.facts import (
    batches_per_epoch,
    fact_evidence,
    is_recording,
    location_of,
    stated_number,
    training_samples,
)
from traindx.curves.failure import not_finite_in
from traindx.curves.inputs import RATIO, SHIFT, input_gap
from traindx.curves.layers import matrices, units_of
from traindx.curves.limits import CLEAR, DECADE, LAST_QUARTER, NEARLY_ALL, STRONG, TINY, graded, linear
from traindx.curves.series import SORTED, by_layer, looked, neighbors_agree, seen_in
from traindx.facts import (
    COUNTED_TARGETS,
    FIRST_LAYER_NORMALIZES,
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
from traindx.format import count, multiple, number, pair, percentage, step
from traindx.quantities import (
    ACTIVATION_STD,
    INPUT_MAX,
    INPUT_MEAN,
    INPUT_MIN,
    INPUT_NONFINITE_SHARE,
    INPUT_OUTLIER_SHARE,
    INPUT_SCALE_SPREAD,
    INPUT_STD,
    NEIGHBOR_AGREEMENT,
    REPEATED_SHARE,
    WEIGHT_NORM,
)
from traindx.run import Better, Floats, Run, Split

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
    """Training set is tiny."""
    rows = training_samples(run)
    if rows is None or rows <= 0:
        return CANNOT_TELL
    if rows > samples:
        return None
    says = f"the training set has only {count(round(rows), 'sample')}"
    evidence = fact_evidence(run, TRAINING_SAMPLES, LOADER_PLACE, limit=samples)
    return Finding(graded(samples / rows, 1.0, _TINY_SET), says, (evidence,))


@sign(needs=(PARAMETERS, TRAINING_SAMPLES))
def model_dwarfs_data(
    run: Run, *, ratio: Annotated[float, "parameters per sample; bench/thresholds.md#samples"] = 50.0
) -> Answer:
    """Model has many parameters per training sample."""
    parameters, samples = stated_number(run, PARAMETERS), training_samples(run)
    if not parameters or not samples:
        return CANNOT_TELL
    each = parameters / samples
    if each < ratio:
        return None
    says = f"{parameters:,.0f} parameters for {samples:,.0f} samples ({each:,.0f} per sample)"
    return Finding(graded(each, ratio, 2 * DECADE * ratio), says, (fact_evidence(run, TRAINING_SAMPLES),))


@sign(needs=((INPUT_NONFINITE_SHARE, NONFINITE_SOURCE),), severity=Severity.CRITICAL)
def inputs_not_finite(run: Run) -> Answer:
    """Model inputs contain NaN or infinity."""
    return not_finite_in(run, INPUT_NONFINITE_SHARE, "input", "inputs")


@sign(needs=(INPUT_STD, INPUT_MEAN), severity=Severity.WARNING)
def inputs_unscaled(
    run: Run,
    *,
    size: Annotated[float, "RMS; bench/thresholds.md#input-scale"] = 8.0,
    spread: Annotated[float, "largest over median feature std; bench/thresholds.md#input-scale"] = 15.0,
) -> Answer:
    """Inputs are far from unit scale, or features differ widely in scale."""
    mean, std = looked(run, INPUT_MEAN), looked(run, INPUT_STD)
    if mean is None or std is None:
        return CANNOT_TELL
    first = run.model[0].kind if run.model else ""
    if run.facts.get(FIRST_LAYER_NORMALIZES) is True or "Norm" in first:
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
    says = f"inputs are not normalized (RMS {number(typical)}; expected about 1)"
    says += f"; the largest feature std is {multiple(differ)} the median" if wide else ""
    return Finding(min(1.0, strength), says, (seen_in(std, float(np.median(std.values)), size),))


def _scaled_inside(run: Run, typical: float) -> bool:
    """Whether the first layer gives outputs of unit scale: the model does by itself what its inputs lack."""
    first = next(iter(matrices(run, WEIGHT_NORM)), None)
    if first is None:
        return False
    owner = first.layer.name.rpartition(".")[0]
    spread = next((series for series in by_layer(run, ACTIVATION_STD) if series.layer == owner), None)
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
    times: Annotated[float, "largest value over the typical std; bench/thresholds.md#outliers"] = 30.0,
    often: Annotated[float, "share of batches that contain some; bench/thresholds.md#outliers"] = 0.3,
    far: Annotated[float, "largest value over the std; bench/thresholds.md#outliers"] = 10.0,
    looks: Annotated[int, "fewest sampled steps; bench/thresholds.md#few-looks"] = 5,
) -> Answer:
    """Some batches contain extreme input values."""
    high, low, std = looked(run, INPUT_MAX), looked(run, INPUT_MIN), looked(run, INPUT_STD)
    mean = looked(run, INPUT_MEAN)
    if high is None or low is None or std is None or mean is None or len(std) < looks:
        return CANNOT_TELL
    # A batch may have a largest value that is finite and a smallest that is not.
    steps = np.intersect1d(high.steps, low.steps)
    if len(steps) < looks:
        return CANNOT_TELL
    highs, lows = (series.values[np.isin(series.steps, steps)] for series in (high, low))
    # The quieter batches tell the usual spread: the loud ones hold what is looked for.
    usual = max(float(np.quantile(std.values, 1 - LAST_QUARTER)), TINY)
    center = float(np.median(mean.values))
    reach = np.maximum(np.abs(highs - center), np.abs(lows - center))
    peak = int(np.argmax(reach))
    ratio = float(reach[peak]) / usual
    # Where every batch reaches as far, it is how the data is, not a few rows of it.
    rare = float(reach[peak]) > _RARE * float(np.median(reach))
    if not math.isfinite(ratio):
        return CANNOT_TELL
    if ratio < times or not rare:
        return _everywhere(run, reach, usual, often, far)
    at = float(steps[peak])
    says = f"an input at step {step(at)} is {ratio:,.0f} std from the mean"
    says += f"; half of the batches stay within {number(float(np.median(reach)) / usual)} std"
    return Finding(graded(ratio, times), says, (seen_in(high, float(reach[peak]), None, (at, at)),))


def _everywhere(run: Run, reach: Floats, usual: float, often: float, far: float) -> Answer:
    """A few values in many batches that lie far outside: of what is validated on, or of their own feature."""
    finding = _beyond_validation(run, reach, far)
    if finding is not None:
        return finding
    outliers = looked(run, INPUT_OUTLIER_SHARE)
    if outliers is None:
        return None
    held, most = float(np.mean(outliers.values > 0)), float(np.max(reach)) / usual
    if held < often or most < far:
        return None
    typical = float(np.median(outliers.values[outliers.values > 0]))
    says = f"{percentage(held)} of batches contain values far outside their feature's range"
    says += f" ({percentage(typical)} of values)"
    return Finding(STRONG, says, (seen_in(outliers, typical, 0.0),))


def _beyond_validation(run: Run, reach: Floats, far: float) -> Finding | None:
    """Values of training that lie many times as far out as any that is validated on."""
    high, low = looked(run, INPUT_MAX, "validation"), looked(run, INPUT_MIN, "validation")
    mean, std = looked(run, INPUT_MEAN, "validation"), looked(run, INPUT_STD)
    if high is None or low is None or mean is None or std is None:
        return None
    center = float(np.median(mean.values))
    farthest = max(float(np.max(high.values)) - center, center - float(np.min(low.values)))
    ratio = float(np.max(reach)) / max(farthest, TINY)
    # What is scaled otherwise as a whole has its values all over that range.
    spread = float(np.median(reach)) / max(float(np.median(std.values)), TINY)
    if farthest <= 0 or not math.isfinite(ratio) or ratio < far or spread < far:
        return None
    says = f"a few training inputs are {multiple(ratio)} as far from the mean as any validation input"
    return Finding(graded(ratio, far), says, (seen_in(std, float(np.max(reach)), far * farthest),))


@sign(needs=(), severity=Severity.CRITICAL)
def labels_faulty(run: Run) -> Answer:
    """Labels are out of range for the loss function or the model outputs."""
    fault = run.facts.get(LABEL_FAULT)
    if stated_number(run, COUNTED_TARGETS) == 0:
        says = "all sampled targets equal ignore_index, so the loss counts none"
        return Finding(1.0, says, (fact_evidence(run, COUNTED_TARGETS, LOSS_PLACE),))
    if not isinstance(fault, str) or not fault:
        return None if is_recording(run) else CANNOT_TELL
    return Finding(1.0, fault, (fact_evidence(run, LABEL_FAULT, LOSS_PLACE),))


@sign(needs=(NEIGHBOR_AGREEMENT,), severity=Severity.SERIOUS)
def batches_sorted(
    run: Run,
    *,
    agreement: Annotated[
        float, "excess of equal neighbors over random order; bench/thresholds.md#order"
    ] = SORTED,
    looks: Annotated[int, "fewest sampled steps; bench/thresholds.md#few-looks"] = 4,
) -> Answer:
    """Labels are sorted within batches."""
    order, middle = looked(run, NEIGHBOR_AGREEMENT), neighbors_agree(run, looks)
    if order is None or middle is None:
        return CANNOT_TELL
    if _holds_all(run):
        return None
    if middle < agreement:
        return None
    says = f"labels are sorted within batches (order {middle:.2f}; 0 = random, 1 = sorted)"
    strength = linear(middle, agreement, over=1 / 2, least=1 / 2)
    evidence = [replace(seen_in(order, middle, agreement), location=location_of(run, LOADER_PLACE))]
    if run.facts.get(SHUFFLE) is False:
        says += "; the loader does not shuffle"
        evidence.append(fact_evidence(run, SHUFFLE, LOADER_PLACE))
    return Finding(strength, says, tuple(evidence))


def _holds_all(run: Run) -> bool:
    """Whether a batch is all of the data, so that its order means nothing."""
    again, batches = looked(run, REPEATED_SHARE), batches_per_epoch(run)
    same = again is not None and float(np.median(again.values)) > NEARLY_ALL
    return same or (batches is not None and batches <= 1)


@sign(needs=(INPUT_MEAN, INPUT_STD), severity=Severity.WARNING)
def validation_inputs_differ(
    run: Run,
    *,
    shift: Annotated[float, "shift of the mean, in training stds; bench/thresholds.md#mismatch"] = SHIFT,
    ratio: Annotated[float, "of the stds; bench/thresholds.md#mismatch"] = RATIO,
    far: Annotated[float, "shift that no split explains; bench/thresholds.md#mismatch"] = 2.0,
    apart: Annotated[float, "ratio that no split explains; bench/thresholds.md#mismatch"] = 3.0,
) -> Answer:
    """Validation inputs differ from training inputs in mean or std."""
    gap, there = input_gap(run), looked(run, INPUT_MEAN, "validation")
    if gap is None or there is None:
        return CANNOT_TELL
    moved, wider = gap.moved, gap.wider
    if moved < shift and wider < ratio:
        return None
    if moved < far and wider < apart and not _is_evaluated(run):
        # A later stretch of a series differs a little by nature: it matters if validation suffers.
        return CANNOT_TELL
    means, stds = pair(gap.validation_mean, gap.mean), pair(gap.validation_std, gap.std)
    says = f"validation inputs have mean {means[0]} and std {stds[0]}"
    says += f"; training inputs have mean {means[1]} and std {stds[1]}"
    strength = max(linear(moved, shift), linear(wider, ratio, over=ratio))
    evidence = replace(seen_in(there, gap.validation_mean), location=location_of(run, VALIDATION_PLACE))
    if moved < far and wider < apart:
        return Finding(strength, says, (evidence,))
    return Finding(strength, f"{says}: not preprocessed alike", (evidence,), Severity.SERIOUS)


def _is_evaluated(run: Run) -> bool:
    """Whether a loss or metric of validation is known."""
    return any(
        series.quantity.split is Split.VALIDATION and series.quantity.better is not Better.NEITHER
        for series in run.series
    )
