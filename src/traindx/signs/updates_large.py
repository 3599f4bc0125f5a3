"""Steps that move the weights by a large part of their size."""

from typing import Annotated

import numpy as np

from traindx.curves.inside import EARLY, Matrix, graded, learns, matrices
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.quantities import UPDATE_RATIO
from traindx.run import Run

_FROM_ZERO = 1.0
"""What the recorder writes for the update of a layer that was zero."""


@sign(needs=(UPDATE_RATIO,), severity=Severity.WARNING)
def updates_large(
    run: Run,
    *,
    ratio: Annotated[float, "update over weight, by norm; bench/thresholds.md#updates"] = 0.1,
    looks: Annotated[int, "fewest looks; bench/thresholds.md#few-looks"] = 3,
) -> Answer:
    """A step moves the typical layer by a large part of its weights."""
    layers = [one for one in matrices(run, UPDATE_RATIO) if len(one.series) >= looks and learns(one.layer)]
    if not layers:
        return CANNOT_TELL
    typical = {one.layer.name: _early(one) for one in layers}
    middle = float(np.median(list(typical.values())))
    if middle < ratio:
        return None
    worst = max(layers, key=lambda one: typical[one.layer.name])
    says = f"a step moves the typical layer by {middle:.2g} of its weights"
    says += f", {worst.layer.name} by {typical[worst.layer.name]:.2g} (0.001 is ordinary)"
    return Finding(
        graded(middle, ratio, 20 * ratio), says, (worst.evidence(typical[worst.layer.name], ratio),)
    )


def _early(one: Matrix) -> float:
    """How far the first steps moved a layer: later, weights may have grown to fit their steps."""
    first = one.first
    rest = float(np.median(one.series.values[1:EARLY]))
    # The very first step of Adam is its longest; where weights began at zero it moves all of them.
    return max(rest, first / 3) if first != _FROM_ZERO else rest
