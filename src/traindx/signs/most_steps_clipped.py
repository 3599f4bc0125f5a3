"""Clipping that works all the time instead of in an emergency."""

from typing import Annotated

import numpy as np

from traindx.curves.curve import whole
from traindx.facts import GRADIENT_CLIP
from traindx.finding import CANNOT_TELL, Answer, Evidence, Finding, Severity, sign
from traindx.format import number
from traindx.quantities import CLIPPED_SHARE, GRADIENT_NORM
from traindx.run import Run


@sign(needs=((CLIPPED_SHARE, GRADIENT_NORM),), severity=Severity.WARNING)
def most_steps_clipped(
    run: Run,
    *,
    share: Annotated[float, "of steps; bench/thresholds.md#clipped"] = 0.9,
    factor: Annotated[float, "norm over the limit; bench/thresholds.md#clipped"] = 3.0,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 10,
) -> Answer:
    """Nearly every step is clipped, and by a large factor."""
    clip = run.facts.get(GRADIENT_CLIP)
    if GRADIENT_NORM in run and isinstance(clip, int | float) and not isinstance(clip, bool) and clip > 0:
        norms = whole(run, GRADIENT_NORM).finite
        if len(norms) < points:
            return CANNOT_TELL
        clipped, typical = float(np.mean(norms.values > clip)), float(np.median(norms.values))
        # Norms that mostly equal the limit were measured after clipping: by how much is not known.
        if float(np.mean(np.abs(norms.values / clip - 1) < 0.01)) > 0.5:
            return CANNOT_TELL
        if clipped < share or typical < factor * clip:
            return None
        says = (
            f"{clipped:.0%} of the recorded steps are clipped to {number(float(clip))}; the typical norm is"
        )
        says += f" {number(typical)}"
        span = (float(norms.steps[0]), float(norms.steps[-1]))
        evidence = Evidence(GRADIENT_NORM, span, typical, factor * float(clip), norms.axis)
        return Finding(min(1.0, typical / (3 * factor * clip) + 0.4), says, (evidence,))
    if CLIPPED_SHARE not in run:
        return CANNOT_TELL
    return _by_share(run, share, points)


def _by_share(run: Run, share: float, points: int) -> Answer:
    series = whole(run, CLIPPED_SHARE).finite
    if len(series) < points:
        return CANNOT_TELL
    typical = float(np.median(series.values)) / (100 if float(series.values.max()) > 1.5 else 1)
    if typical < share:
        return None
    span = (float(series.steps[0]), float(series.steps[-1]))
    evidence = Evidence(CLIPPED_SHARE, span, typical, share, series.axis)
    return Finding(0.7, f"{typical:.0%} of the steps are clipped", (evidence,))
