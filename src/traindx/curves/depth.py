"""How gradients and outputs change from layer to layer."""

import math
from dataclasses import dataclass

import numpy as np

from traindx.curves.inside import EARLY, Matrix, by_layer, matrices
from traindx.quantities import ACTIVATION_STD, GRADIENT_NORM, WEIGHT_NORM
from traindx.run import Run, Series

_LONGEST_END = 3
"""Layers that stand for the first or the last of a model."""
_AGREED = 0.5
"""Of what outputs fade by: what each of the last layers shows at least, in powers of ten."""


@dataclass(frozen=True, eq=False)
class Depth:
    """The gradient against the weights, from the first layer to the last, early in the run."""

    layers: int
    first: Matrix
    last: Matrix
    fading: float
    """Powers of ten by which the first layers lie below the last; negative where they lie above."""


def over_depth(run: Run) -> Depth | None:
    """How gradients change over depth; None where fewer than two layers have any."""
    sizes = {one.layer.name: one.early for one in matrices(run, WEIGHT_NORM)}
    # A layer without any gradient is cut off, dead or not yet reached: that is asked elsewhere.
    found = [
        (one, math.log10(one.early / sizes[one.layer.name]))
        for one in matrices(run, GRADIENT_NORM)
        if one.early > 0 and sizes.get(one.layer.name, 0.0) > 0
    ]
    if len(found) < 2:
        return None
    end = min(_LONGEST_END, len(found) // 2)
    ratios = [ratio for _, ratio in found]
    fading = float(np.median(ratios[-end:]) - np.median(ratios[:end]))
    return Depth(len(found), found[0][0], found[-1][0], fading)


@dataclass(frozen=True, eq=False)
class Swell:
    """The spread of outputs, from the first layers to the last, at the first looks."""

    layers: int
    first: Series
    last: Series
    growth: float
    """Powers of ten by which the last hidden layers lie above the first."""


def swelling(run: Run) -> Swell | None:
    """How outputs change over depth before much was learned; None where fewer than four layers have any."""
    outputs = [one for one in by_layer(run, ACTIVATION_STD) if not one.part]
    sizes = [(one, float(np.median(one.values[:EARLY]))) for one in outputs]
    known = [(one, math.log10(size)) for one, size in sizes if size > 0]
    # The output itself is left out: its scale is the task's.
    known = known[:-1]
    if len(known) < 4:
        return None
    end = min(_LONGEST_END, len(known) // 2)
    first, last = _middle(known[:end]), _middle(known[-end:])
    growth = last[1] - first[1]
    if growth < 0:
        # A branch that ends small beside a trunk that does not is no change over depth.
        agreed = min((level - first[1]) / growth for _, level in known[-end:])
        growth *= 1.0 if agreed >= _AGREED else max(agreed, 0.0)
    return Swell(len(known), first[0], last[0], growth)


def _middle(levels: list[tuple[Series, float]]) -> tuple[Series, float]:
    """The layer whose level is the median."""
    return sorted(levels, key=lambda one: one[1])[len(levels) // 2]
