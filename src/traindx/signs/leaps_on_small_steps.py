"""Losses and gradients that leap although the weights hardly moved."""

from typing import Annotated

import numpy as np

from traindx.curves.curve import whole
from traindx.curves.inside import graded, learns, matrices, seen_in
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.format import number
from traindx.quantities import GRADIENT_NORM, TRAIN_LOSS, UPDATE_RATIO
from traindx.run import Run, Series

_BEFORE = 20
"""Points whose median is what is usual."""


@sign(needs=((GRADIENT_NORM, TRAIN_LOSS), UPDATE_RATIO), severity=Severity.SERIOUS)
def leaps_on_small_steps(
    run: Run,
    *,
    leap: Annotated[float, "value over the typical one before; bench/thresholds.md#gradient-leap"] = 30.0,
    update: Annotated[float, "update over weight until then; bench/thresholds.md#gradient-leap"] = 0.05,
) -> Answer:
    """Loss or gradient leap by orders of magnitude while steps are still short against the weights."""
    found = [whole(run, one).finite for one in (GRADIENT_NORM, TRAIN_LOSS) if one in run]
    curves = [one for one in found if len(one) > 1]
    if not curves or not any(learns(one.layer) for one in matrices(run, UPDATE_RATIO)):
        return CANNOT_TELL
    leaps = [_first_leap(run, one, leap, update) for one in curves]
    return next((one for one in leaps if one is not None), None)


def _first_leap(run: Run, series: Series, leap: float, update: float) -> Finding | None:
    ends = range(1, len(series))
    usual = np.array([float(np.median(series.values[max(0, end - _BEFORE) : end])) for end in ends])
    with np.errstate(over="ignore"):  # a leap beyond all numbers is left out below
        factors = series.values[1:] / np.maximum(usual, 1e-300)
    beyond = np.flatnonzero((factors >= leap) & (usual > 0) & np.isfinite(factors))
    if not len(beyond):
        return None
    place = int(beyond[0])
    at, value = float(series.steps[place + 1]), float(series.values[place + 1])
    moved = _moved(run, at)
    if moved is None or moved > update:
        return None
    what = "gradient norm" if series.quantity is GRADIENT_NORM else "training loss"
    says = f"the {what} leaps from {number(float(usual[place]))} to {number(value)} at step {at:,.0f}"
    says += f", after steps that moved the weights by {moved:.1g}"
    evidence = seen_in(series, value, leap * float(usual[place]), (at, at))
    return Finding(graded(float(factors[place]), leap, 30 * leap), says, (evidence,))


def _moved(run: Run, at: float) -> float | None:
    """How far the typical layer moved in the steps looked at before the leap: later ones are its effect."""
    layers = [one for one in matrices(run, UPDATE_RATIO) if learns(one.layer)]
    before = [one.series.values[one.series.steps < at] for one in layers]
    known = [float(np.max(values)) for values in before if len(values)]
    return float(np.median(known)) if known else None
