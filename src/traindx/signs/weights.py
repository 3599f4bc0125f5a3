"""The weights: how they start, how far they move, which do not."""

from collections.abc import Callable
from typing import Annotated

import numpy as np

from traindx.curves.facts import fact_evidence, needs_beginning, stated_number
from traindx.curves.layers import (
    EARLY,
    Matrix,
    has_adapters,
    held_back,
    learns,
    matrices,
    owner,
    starting_gains,
)
from traindx.curves.limits import DECADE, FAINT, FAIR, LIKELY, TINY, graded, linear
from traindx.curves.series import steps_taken
from traindx.facts import (
    FROZEN_PARAMETERS,
    MODEL_PLACE,
    OPTIMIZER_PLACE,
    STALE_PARAMETERS,
    UNLISTED_PARTS,
    UNLISTED_PLACE,
    UNOPTIMIZED_PARAMETERS,
)
from traindx.finding import CANNOT_TELL, Answer, Evidence, Finding, Severity, sign
from traindx.format import count, multiple, number, percentage
from traindx.quantities import EQUAL_UNIT_SHARE, LEARNING_RATE, UPDATE_RATIO, WEIGHT_NORM
from traindx.run import Parameter, Run, Series

_SINGLE = 4.0
"""Times the limit that a single layer must exceed; bench/thresholds.md#init."""
_FULL = 8.0
"""Times the limit at which it is fully clear; bench/thresholds.md#init."""
_FROM_ZERO = 1.0
"""What the recorder writes for the update of a layer that was zero; bench/thresholds.md#updates."""
_LONGEST = 3.0
"""Times the steps after it that the first step of Adam may be; bench/thresholds.md#updates."""


@sign(needs=(EQUAL_UNIT_SHARE,), severity=Severity.SERIOUS)
@needs_beginning
def weights_start_equal(
    run: Run, *, share: Annotated[float, "of a layer's units; bench/thresholds.md#init"] = 0.9
) -> Answer:
    """Units of a layer have identical weights and stay identical."""
    layers = [matrix for matrix in matrices(run, EQUAL_UNIT_SHARE) if len(matrix.series) >= 2]
    if not layers:
        return CANNOT_TELL
    # A layer that begins at zero on purpose differs from unit to unit after one step.
    alike = [layer for layer in layers if float(layer.series.values.min()) >= share]
    if not alike:
        return None
    worst = max(alike, key=lambda matrix: matrix.first)
    equal = float(worst.series.values[-1])
    says = f"{owner(worst.layer)}: {percentage(equal)} of units have the same weights as another unit"
    return Finding(1.0, says, (worst.evidence(equal, share),))


@sign(needs=(WEIGHT_NORM,), severity=Severity.SERIOUS)
@needs_beginning
def weights_start_far_off(
    run: Run, *, gain: Annotated[float, "over fan-in scaling; bench/thresholds.md#init"] = 5.0
) -> Answer:
    """Initial weights are far too large for the size of their layer."""
    gains = starting_gains(run)
    if not gains:
        return CANNOT_TELL
    middle = float(np.median([candidate.gain for candidate in gains]))
    worst = max(gains, key=lambda candidate: candidate.gain)
    if middle < gain and worst.gain < _SINGLE * gain:
        return None
    says = f"initial weights of {owner(worst.matrix.layer)} are {multiple(worst.gain)} 1/sqrt(fan_in)"
    says += f" (median layer {multiple(middle)}; typical: 0.6x to 1.4x)"
    strength = graded(max(middle, worst.gain / _SINGLE), gain, _FULL * gain)
    return Finding(strength, says, (worst.matrix.evidence(worst.matrix.first),))


@sign(needs=(WEIGHT_NORM,), severity=Severity.SERIOUS)
@needs_beginning
def weights_start_tiny(
    run: Run, *, gain: Annotated[float, "over fan-in scaling; bench/thresholds.md#init"] = 0.03
) -> Answer:
    """Most layers start with weights at or near zero."""
    gains = starting_gains(run)
    if not gains:
        return CANNOT_TELL
    # Most layers: the last one, or the last of each residual branch, may begin at zero on purpose.
    middle = float(np.median([candidate.gain for candidate in gains]))
    if middle >= gain or len(gains) < 2:
        return None
    worst = min(gains, key=lambda candidate: candidate.gain)
    says = f"initial weights of the median layer are {multiple(middle)} 1/sqrt(fan_in)"
    says += f", of {owner(worst.matrix.layer)} {multiple(worst.gain)} (typical: 0.6x to 1.4x)"
    strength = graded(gain / max(middle, TINY), 1.0)
    return Finding(strength, says, (worst.matrix.evidence(worst.matrix.first),))


@sign(needs=(WEIGHT_NORM,), severity=Severity.WARNING)
def weights_shrink(
    run: Run,
    *,
    left: Annotated[float, "norm at the end over norm at the start; bench/thresholds.md#decay"] = 0.5,
    looks: Annotated[int, "fewest sampled steps; bench/thresholds.md#few-looks"] = 3,
) -> Answer:
    """Weights lose much of their norm."""
    layers = [
        matrix for matrix in matrices(run, WEIGHT_NORM) if len(matrix.series) >= looks and matrix.first > 0
    ]
    if not layers:
        return CANNOT_TELL
    shares = {layer.layer.name: float(layer.series.values[-1]) / layer.first for layer in layers}
    middle = float(np.median(list(shares.values())))
    if middle > left:
        return None
    worst = min(layers, key=lambda layer: shares[layer.layer.name])
    says = f"weight norm of the median layer shrinks to {percentage(middle)}"
    says += f", of {owner(worst.layer)} to {percentage(shares[worst.layer.name])}"
    evidence = worst.evidence(float(worst.series.values[-1]), left * worst.first)
    return Finding(graded(left / max(middle, TINY), 1.0), says, (evidence,))


@sign(needs=(UPDATE_RATIO,), severity=Severity.WARNING)
def updates_large(
    run: Run,
    *,
    ratio: Annotated[float, "update over weight, by norm; bench/thresholds.md#updates"] = 0.1,
    looks: Annotated[int, "fewest sampled steps; bench/thresholds.md#few-looks"] = 3,
) -> Answer:
    """Updates are large relative to the weights."""
    layers = [
        matrix
        for matrix in matrices(run, UPDATE_RATIO)
        if len(matrix.series) >= looks and learns(matrix.layer)
    ]
    if not layers:
        return CANNOT_TELL
    typical = {layer.layer.name: _early(layer) for layer in layers}
    middle = float(np.median(list(typical.values())))
    if middle < ratio:
        return None
    worst = max(layers, key=lambda layer: typical[layer.layer.name])
    says = f"median update/weight ratio {number(middle)} (typical: 0.001)"
    strength = graded(middle, ratio, 2 * DECADE * ratio)
    return Finding(strength, says, (worst.evidence(typical[worst.layer.name], ratio),))


def _early(matrix: Matrix) -> float:
    """How far the first steps moved a layer: later, weights may have grown to fit their steps."""
    first = matrix.first
    rest = float(np.median(matrix.series.values[1:EARLY]))
    # The very first step of Adam is its longest; where weights began at zero it moves all of them.
    return max(rest, first / _LONGEST) if first != _FROM_ZERO else rest


@sign(needs=(UPDATE_RATIO,), severity=Severity.WARNING, healthy=-2.80)
def updates_tiny(
    run: Run,
    *,
    ratio: Annotated[float, "update over weight, by norm; bench/thresholds.md#updates"] = 2e-3,
    travel: Annotated[float, "all updates over weight; bench/thresholds.md#updates"] = 0.7,
    looks: Annotated[int, "fewest sampled steps; bench/thresholds.md#few-looks"] = 3,
) -> Answer:
    """Updates are too small to move the weights within the run."""
    layers = [
        matrix
        for matrix in matrices(run, UPDATE_RATIO)
        if len(matrix.series) >= looks and learns(matrix.layer)
    ]
    if not layers:
        return CANNOT_TELL
    moving = [layer for layer in layers if float(np.max(layer.series.values)) > 0]
    if not moving and _rate(run) > 0:
        # What never moves is moved by another optimizer, beside the one that is looked at.
        return CANNOT_TELL
    layers = moving or layers
    ways = {layer.layer.name: _way(layer.series, steps_taken(run)) for layer in layers}
    way = float(np.median(list(ways.values())))
    # Steps that were long at first and short later, as where units have died, are not too short.
    longest = float(np.median([float(np.max(layer.series.values)) for layer in layers]))
    if longest >= ratio or way >= travel:
        return None
    most = max(layers, key=lambda layer: ways[layer.layer.name])
    says = f"all updates add up to {multiple(way)} the weight norm of the median layer"
    says += f" (at most {number(longest)} per step)"
    strength = graded(travel / max(way, TINY), 1.0, least=FAINT)
    return Finding(strength, says, (most.evidence(ways[most.layer.name], travel),))


def _way(ratios: Series, steps: float) -> float:
    """All updates of a layer added up, as if each pointed the same way, between the steps looked at."""
    between = float(np.trapezoid(ratios.values, ratios.steps))
    after = float(ratios.values[-1]) * max(steps - float(ratios.steps[-1]), 0.0)
    return float(ratios.values[0]) + between + after


def _rate(run: Run) -> float:
    """The highest learning rate of the run; 0 where none was recorded."""
    return max(
        (float(np.max(series.finite.values, initial=0.0)) for series in run.all(LEARNING_RATE)), default=0.0
    )


@sign(needs=(FROZEN_PARAMETERS,), severity=Severity.WARNING)
def parameters_frozen(run: Run) -> Answer:
    """Model parameters are frozen (requires_grad=False)."""
    if has_adapters(run):
        return None
    evidence = fact_evidence(run, FROZEN_PARAMETERS, MODEL_PLACE)
    says = "frozen (`requires_grad=False`)"
    return _never_learn(run, lambda layer: not layer.trainable, says, FAIR, evidence)


@sign(needs=(UNOPTIMIZED_PARAMETERS,), severity=Severity.SERIOUS)
def parameters_unoptimized(run: Run) -> Answer:
    """Trainable parameters are in no optimizer."""
    unlisted = run.facts.get(UNLISTED_PARTS)
    evidence = fact_evidence(run, UNOPTIMIZED_PARAMETERS, UNLISTED_PLACE if unlisted else OPTIMIZER_PLACE)
    says = "in no optimizer, so never updated"
    says += f": `{unlisted}` is a plain list, which model.parameters() does not see" if unlisted else ""
    # Nobody hides parameters that are to stay as they are and computes their gradients.
    least = 1.0 if unlisted else LIKELY
    return _never_learn(run, lambda layer: layer.trainable and not layer.optimized, says, least, evidence)


def _never_learn(
    run: Run, is_held: Callable[[Parameter], bool], says: str, least: float, evidence: Evidence
) -> Answer:
    if not run.model:
        return CANNOT_TELL
    held = held_back(run, is_held)
    if held is None:
        return None
    # The first layers are held back on purpose every day, the last ones or scattered ones by mistake.
    strength = 1 / 2 if held.is_first_part else linear(held.share, least=least)
    return Finding(strength, f"{held.told} {held.verb} {says}", (evidence,))


@sign(
    needs=(STALE_PARAMETERS,), severity=Severity.SERIOUS, healthy=-3.50, formerly="optimizer_holds_strangers"
)
def optimizer_has_stale_parameters(run: Run) -> Answer:
    """The optimizer has stale parameters that the model does not use."""
    stale = stated_number(run, STALE_PARAMETERS)
    if stale is None:
        return CANNOT_TELL
    if not stale:
        return None
    says = f"the optimizer has {count(round(stale), 'stale parameter')} that the model does not use"
    return Finding(1.0, says, (fact_evidence(run, STALE_PARAMETERS, OPTIMIZER_PLACE),))
