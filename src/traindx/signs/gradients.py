"""The gradients: their size, their way through the layers, their direction."""

from typing import Annotated

import numpy as np

from traindx.curves.curve import curve_of
from traindx.curves.facts import fact_evidence, is_recording, needs_beginning, stated_number
from traindx.curves.failure import FEWEST_BLOCKS, outgrown, spikes_of
from traindx.curves.layers import Held, held_back, matrices, over_depth, owner
from traindx.curves.limits import CLEAR, FEW, LIKELY, MILD, ROUNDING, TRIPLE, graded, linear
from traindx.curves.objective import as_share, at_floor, loss_of
from traindx.curves.series import by_layer, evenly, looked, seen_in, span, whole
from traindx.facts import (
    BACKWARD_PLACE,
    BATCH_SIZE,
    GRADIENT_CLIP,
    GRADIENTLESS_PARAMETERS,
    MODEL_PLACE,
    OPTIMIZER_PLACE,
)
from traindx.finding import CANNOT_TELL, Answer, Evidence, Finding, Severity, sign
from traindx.format import count, multiple, number, pair, percentage, power_of_ten
from traindx.objective import Problem
from traindx.quantities import (
    ACTIVATION_STD,
    CLIPPED_SHARE,
    GRADIENT_AGREEMENT,
    GRADIENT_NOISE_SCALE,
    GRADIENT_NORM,
    TRAIN_LOSS,
    WEIGHT_NORM,
)
from traindx.run import Run

_AT_CLIP = 0.01
"""Distance from the limit of norms that were measured after clipping; bench/thresholds.md#clipped."""


@sign(needs=(GRADIENT_NORM,), severity=Severity.SERIOUS, problem=Problem.UNSTABLE)
def gradient_norm_grows(
    run: Run,
    *,
    ratio: Annotated[
        float, "end over the median of the first half; bench/thresholds.md#gradient-growth"
    ] = 10.0,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 10,
) -> Answer:
    """Gradient norm grows far above its early level."""
    norm = curve_of(evenly(whole(run, GRADIENT_NORM).finite))
    if len(norm) < points:
        return CANNOT_TELL
    calm = float(np.median(norm.level[: max(norm.blocks // 2, FEW)]))
    end = norm.end
    if calm <= 0 or end < ratio * calm:
        return None
    says = f"gradient norm grows {multiple(end / calm)}, from {number(calm)} in the first half"
    says += f" to {number(end)} at the end"
    strength = graded(end, ratio * calm, least=LIKELY)
    return Finding(strength, says, (norm.evidence(norm.since(1 / 2), end, ratio * calm),))


@sign(needs=(GRADIENT_NORM,), severity=Severity.SERIOUS, problem=Problem.STOPS_EARLY)
def gradient_norm_vanishes(
    run: Run,
    *,
    ratio: Annotated[float, "end over the largest level; bench/thresholds.md#gradient-death"] = 1e-3,
    tiny: Annotated[float, "norm over the loss it comes from; bench/thresholds.md#gradient-death"] = 1e-4,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 10,
) -> Answer:
    """Gradient norm is near zero although the loss is not at a floor."""
    norm, loss = curve_of(evenly(whole(run, GRADIENT_NORM).finite)), loss_of(run)
    if len(norm) < points or loss is None or len(loss) < FEW:
        return CANNOT_TELL
    if at_floor(run, loss) or loss.start - loss.end > loss.size / 2:
        return None
    peak = float(np.max(norm.level))
    limit = max(ratio * peak, 0.0 if loss.floorless else tiny * abs(loss.end))
    if norm.end > limit or norm.end == 0 or loss.end > loss.start + CLEAR * loss.size:
        # Exactly zero is no small gradient but none, and beside a loss that grew every norm looks small.
        return None
    last, highest = pair(norm.end, peak)
    says = f"gradient norm ends at {last} (peak {highest}) while the loss is {loss.text(loss.end)}"
    return Finding(1.0, says, (norm.evidence(norm.end_steps, norm.end, limit),))


@sign(needs=(GRADIENT_NORM, TRAIN_LOSS), severity=Severity.WARNING)
def gradient_spikes_before_loss(
    run: Run,
    *,
    height: Annotated[float, "share of the progress undone; bench/thresholds.md#spike-height"] = 0.25,
    within: Annotated[int, "logged points between the two; bench/thresholds.md#precedes"] = 5,
) -> Answer:
    """Gradient norm spikes just before the loss does."""
    norm, loss = curve_of(whole(run, GRADIENT_NORM)), loss_of(run)
    if loss is None or min(loss.blocks, norm.blocks) < FEWEST_BLOCKS or norm.axis is not loss.axis:
        return CANNOT_TELL
    spikes = [spike for spike in spikes_of(loss) if spike.height > height * loss.progress]
    warnings = spikes_of(norm)
    if not spikes:
        return None
    record = float(np.median(np.diff(loss.steps)))
    warned = []
    for spike in spikes:
        peak = float(loss.steps[spike.first])
        before = [w for w in warnings if 0 < peak - float(norm.steps[w.first]) <= within * record]
        if before:
            warned.append((float(norm.steps[before[0].first]), peak, before[0]))
    if not warned:
        return None
    verb = "follows" if len(warned) == 1 else "follow"
    says = f"{len(warned)} of {count(len(spikes), 'loss spike')} {verb} a gradient-norm spike"
    says += f" (first at {norm.place(warned[0][0])})"
    first, last, gradient = warned[0]
    evidence = norm.evidence((first, last), gradient.value, gradient.base)
    weight = MILD if outgrown(loss, warned[-1][1]) else 1.0
    return Finding(weight * linear(len(warned), over=len(spikes)), says, (evidence,))


@sign(needs=(GRADIENT_NORM, WEIGHT_NORM), severity=Severity.WARNING)
@needs_beginning
def gradient_starts_huge(
    run: Run,
    *,
    ratio: Annotated[float, "gradient over weight, by norm; bench/thresholds.md#first-gradient"] = 30.0,
) -> Answer:
    """First gradient is much larger than the weights it updates."""
    sizes = {norm.layer.name: norm.first for norm in matrices(run, WEIGHT_NORM) if norm.series.steps[0] <= 1}
    ratios = [
        (matrix, matrix.first / sizes[matrix.layer.name])
        for matrix in matrices(run, GRADIENT_NORM)
        if sizes.get(matrix.layer.name, 0.0) > 0 and matrix.series.steps[0] <= 1
    ]
    if not ratios:
        return CANNOT_TELL
    worst, most = max(ratios, key=lambda pair: pair[1])
    if most < ratio:
        return None
    says = f"gradient norm of {owner(worst.layer)} at step 1 is {multiple(most)} its weight norm"
    return Finding(graded(most, ratio, 100 * ratio), says, (worst.evidence(worst.first),))


@sign(needs=(GRADIENT_NORM,), severity=Severity.SERIOUS)
def gradient_fades_over_depth(
    run: Run,
    *,
    decades: Annotated[float, "powers of ten from last to first layers; bench/thresholds.md#depth"] = 2.5,
    layers: Annotated[int, "fewest weight matrices; bench/thresholds.md#depth"] = 4,
) -> Answer:
    """Gradients vanish toward the first layers."""
    return gradient_over_depth(run, decades, layers, grows=False)


def gradient_over_depth(run: Run, decades: float, layers: int, *, grows: bool) -> Answer:
    """Whether gradients, over the weights, explode or vanish toward the first layers."""
    depth = over_depth(run)
    if depth is None or depth.layers < layers:
        return CANNOT_TELL
    way = -depth.fading if grows else depth.fading
    if way < decades:
        return None
    says = f"gradient/weight ratio of {owner(depth.first.layer)} is {power_of_ten(way)}"
    says += f" {'larger' if grows else 'smaller'} than of {owner(depth.last.layer)}"
    return Finding(linear(way, decades, over=2), says, (depth.first.evidence(depth.first.early),))


@sign(needs=(GRADIENT_NORM,), severity=Severity.SERIOUS, problem=Problem.NOT_LEARNING)
def gradient_is_zero(
    run: Run,
    *,
    share: Annotated[float, "of logged points; bench/thresholds.md#zero"] = 0.9,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 5,
) -> Answer:
    """Gradient norm is exactly zero."""
    norms = evenly(whole(run, GRADIENT_NORM).finite)
    if len(norms) < points:
        return CANNOT_TELL
    zero = float(np.mean(norms.values == 0))
    if zero < share:
        return None
    says = f"gradient norm is exactly 0 at {percentage(zero)} of {count(len(norms), 'logged point')}"
    return Finding(1.0, says, (seen_in(norms, 0.0),))


@sign(needs=(GRADIENTLESS_PARAMETERS,), severity=Severity.SERIOUS)
def gradient_never_arrives(run: Run) -> Answer:
    """Optimized parameters never get a nonzero gradient."""
    if not run.model:
        return CANNOT_TELL
    parameters = held_back(run, lambda layer: layer.trainable and layer.optimized and not layer.gradient)
    if parameters is None or _are_unused(run, parameters):
        return None
    says = f"{parameters.told} never got a nonzero gradient"
    # What lies before a cut gets none; a branch that is not used gets none either, and harms nobody.
    strength = 1.0 if parameters.is_first_part or parameters.share > 1 / 2 else 1 / 2
    evidence = fact_evidence(run, GRADIENTLESS_PARAMETERS, MODEL_PLACE, BACKWARD_PLACE)
    return Finding(strength, says, (evidence,))


def _are_unused(run: Run, held: Held) -> bool:
    """Whether nothing calls the layers: a spare head, or the stages of an encoder that is used in part."""
    called = {series.layer for series in by_layer(run, ACTIVATION_STD)}
    owners = {layer.name.rpartition(".")[0] for layer in held.layers}
    # A forgotten branch may be most of a model: then what is left has to learn without it.
    loss = loss_of(run)
    learns = loss is not None and loss.start - loss.end > max(CLEAR * loss.size, loss.noise)
    return bool(called) and called.isdisjoint(owners) and (learns or held.share <= 1 / 2)


@sign(needs=(GRADIENT_AGREEMENT,))
def gradients_agree(
    run: Run,
    *,
    cosine: Annotated[float, "of consecutive gradients; bench/thresholds.md#agreement"] = 0.8,
    looks: Annotated[int, "fewest sampled steps; bench/thresholds.md#few-looks"] = 5,
) -> Answer:
    """Consecutive gradients point the same way."""
    return _along(run, 1, cosine, looks, over=1 - cosine)


@sign(needs=(GRADIENT_AGREEMENT,), severity=Severity.WARNING)
def gradients_oscillate(
    run: Run,
    *,
    against: Annotated[
        float, "negative cosine of consecutive gradients; bench/thresholds.md#agreement"
    ] = 0.15,
    looks: Annotated[int, "fewest sampled steps; bench/thresholds.md#few-looks"] = 5,
) -> Answer:
    """Consecutive gradients oppose each other."""
    return _along(run, -1, against, looks, over=1 / 2)


def _along(run: Run, way: int, limit: float, looks: int, *, over: float) -> Answer:
    """Whether gradients of two steps in a row point the same way (1), or against each other (-1)."""
    series = looked(run, GRADIENT_AGREEMENT)
    if series is None or len(series) < looks:
        return CANNOT_TELL
    middle = float(np.median(series.values))
    if way * middle < limit:
        return None
    says = f"consecutive gradients {'point the same way' if way > 0 else 'oppose each other'}"
    says += f" (median cosine {middle:.2f})"
    return Finding(linear(way * middle, limit, over=over), says, (seen_in(series, middle, way * limit),))


def noise_scale_against_batch(run: Run, times: float, looks: int, *, above: bool) -> Answer:
    """Whether the gradient noise scale is far above or below the batch size."""
    noise, batch = looked(run, GRADIENT_NOISE_SCALE), stated_number(run, BATCH_SIZE)
    if noise is None or not batch or len(noise) < looks:
        return CANNOT_TELL
    typical = float(np.median(noise.values))
    ratio = max(typical, ROUNDING) / batch
    apart = ratio if above else 1 / ratio
    if apart < times:
        return None
    says = f"gradient noise scale is about {number(float(f'{typical:.2g}'))} samples"
    says += f"; the batch size is {batch:,.0f}"
    return Finding(graded(apart, times), says, (seen_in(noise, typical, batch),))


@sign(needs=((CLIPPED_SHARE, GRADIENT_NORM),), severity=Severity.WARNING)
def most_steps_clipped(
    run: Run,
    *,
    share: Annotated[float, "of steps; bench/thresholds.md#clipped"] = 0.9,
    factor: Annotated[float, "norm over the limit; bench/thresholds.md#clipped"] = 3.0,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 10,
) -> Answer:
    """Nearly every step is clipped by a large factor."""
    clip = run.facts.get(GRADIENT_CLIP)
    if GRADIENT_NORM in run and isinstance(clip, int | float) and not isinstance(clip, bool) and clip > 0:
        norms = whole(run, GRADIENT_NORM).finite
        if len(norms) < points:
            return CANNOT_TELL
        clipped, typical = float(np.mean(norms.values > clip)), float(np.median(norms.values))
        # Norms that mostly equal the limit were measured after clipping: by how much is not known.
        if float(np.mean(np.abs(norms.values / clip - 1) < _AT_CLIP)) > 1 / 2:
            return CANNOT_TELL
        if clipped < share or typical < factor * clip:
            return None
        says = f"{percentage(clipped)} of steps are clipped to {number(float(clip))}"
        says += f" (median gradient norm {number(typical)})"
        evidence = Evidence(GRADIENT_NORM, span(norms), typical, factor * float(clip), norms.axis)
        return Finding(min(1.0, typical / (TRIPLE * factor * clip) + MILD), says, (evidence,))
    if CLIPPED_SHARE not in run:
        # A recording of steps states each call that clips.
        return None if is_recording(run) and OPTIMIZER_PLACE in run.facts else CANNOT_TELL
    return _by_share(run, share, points)


def _by_share(run: Run, share: float, points: int) -> Answer:
    series = whole(run, CLIPPED_SHARE).finite
    if len(series) < points:
        return CANNOT_TELL
    typical = as_share(float(np.median(series.values)), float(series.values.max()))
    if typical < share:
        return None
    evidence = Evidence(CLIPPED_SHARE, span(series), typical, share, series.axis)
    return Finding(LIKELY, f"{percentage(typical)} of steps are clipped", (evidence,))
