"""Gradients that leap although the weights hardly moved."""

from typing import Annotated

import numpy as np

from traindx.curves.curve import whole
from traindx.curves.inside import graded, learns, matrices, seen_in
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity
from traindx.quantities import GRADIENT_NORM, UPDATE_RATIO
from traindx.run import Run
from traindx.sign import sign
from traindx.wording import number


@sign(needs=(GRADIENT_NORM, UPDATE_RATIO), severity=Severity.SERIOUS)
def gradient_leaps_on_small_steps(
    run: Run,
    *,
    leap: Annotated[float, "norm over the typical one before; bench/thresholds.md#gradient-leap"] = 30.0,
    update: Annotated[float, "update over weight until then; bench/thresholds.md#gradient-leap"] = 0.05,
) -> Answer:
    """The gradient norm leaps by orders of magnitude while steps are still short against the weights."""
    norms = whole(run, GRADIENT_NORM)
    finite = norms.finite
    layers = [one for one in matrices(run, UPDATE_RATIO) if learns(one.layer)]
    if len(finite) < 2 or not layers:
        return CANNOT_TELL
    ends = range(1, len(finite))
    typical = np.array([float(np.median(finite.values[max(0, end - 20) : end])) for end in ends])
    leaps = finite.values[1:] / np.maximum(typical, 1e-300)
    beyond = np.flatnonzero(leaps >= leap)
    if not len(beyond) or not np.isfinite(leaps[beyond[0]]):
        return None
    place = int(beyond[0])
    at = float(finite.steps[place + 1])
    # What was seen of the updates before the leap: those after it are its effect.
    before = [one.series.values[one.series.steps < at] for one in layers]
    moved = float(np.median([float(np.median(values)) for values in before if len(values)] or [np.inf]))
    if moved > update:
        return None
    says = f"the gradient norm leaps from {number(float(typical[place]))} to"
    says += (
        f" {number(float(finite.values[place + 1]))} at step {at:,.0f}; until then a step moved {moved:.1g}"
    )
    says += " of the weights"
    evidence = seen_in(finite, float(finite.values[place + 1]), leap * float(typical[place]), (at, at))
    return Finding(graded(float(leaps[place]), leap, 30 * leap), says, (evidence,))
