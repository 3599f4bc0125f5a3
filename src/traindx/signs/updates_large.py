"""Steps that move the weights by a large part of their size."""

from typing import Annotated

import numpy as np

from traindx.curves.inside import graded, matrices
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity
from traindx.quantities import UPDATE_RATIO
from traindx.run import Run
from traindx.sign import sign


@sign(needs=(UPDATE_RATIO,), severity=Severity.WARNING)
def updates_large(
    run: Run,
    *,
    ratio: Annotated[float, "update over weight, by norm; bench/thresholds.md#updates"] = 0.05,
    looks: Annotated[int, "fewest looks; bench/thresholds.md#few-looks"] = 3,
) -> Answer:
    """A step moves the typical layer by a large part of its weights."""
    layers = [one for one in matrices(run, UPDATE_RATIO) if len(one.series) >= looks]
    if not layers:
        return CANNOT_TELL
    # Without the first look: weights that begin at zero move by all of their size.
    typical = {one.layer.name: float(np.median(one.series.values[1:])) for one in layers}
    middle = float(np.median(list(typical.values())))
    if middle < ratio:
        return None
    worst = max(layers, key=lambda one: typical[one.layer.name])
    says = f"a step moves the typical layer by {middle:.2g} of its weights"
    says += f", {worst.layer.name} by {typical[worst.layer.name]:.2g} (0.001 is ordinary)"
    return Finding(
        graded(middle, ratio, 20 * ratio), says, (worst.evidence(typical[worst.layer.name], ratio),)
    )
