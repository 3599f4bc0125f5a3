"""Steps too short to get anywhere."""

from typing import Annotated

import numpy as np

from traindx.curves.inside import graded, learns, matrices, steps_taken
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.quantities import LEARNING_RATE, UPDATE_RATIO
from traindx.run import Run, Series


@sign(needs=(UPDATE_RATIO,), severity=Severity.WARNING)
def updates_tiny(
    run: Run,
    *,
    ratio: Annotated[float, "update over weight, by norm; bench/thresholds.md#updates"] = 2e-3,
    travel: Annotated[float, "all updates over weight; bench/thresholds.md#updates"] = 0.7,
    looks: Annotated[int, "fewest looks; bench/thresholds.md#few-looks"] = 3,
) -> Answer:
    """All steps together can have moved the typical layer by a small part of its weights only."""
    layers = [one for one in matrices(run, UPDATE_RATIO) if len(one.series) >= looks and learns(one.layer)]
    if not layers:
        return CANNOT_TELL
    moving = [one for one in layers if float(np.max(one.series.values)) > 0]
    if not moving and _rate(run) > 0:
        # What never moves is moved by another optimizer, beside the one that is looked at.
        return CANNOT_TELL
    layers = moving or layers
    ways = {one.layer.name: _way(one.series, steps_taken(run)) for one in layers}
    way = float(np.median(list(ways.values())))
    # Steps that were long at first and short later, as where units have died, are not too short.
    longest = float(np.median([float(np.max(one.series.values)) for one in layers]))
    if longest >= ratio or way >= travel:
        return None
    most = max(layers, key=lambda one: ways[one.layer.name])
    says = f"all steps together can have moved the typical layer by {way:.1g} of its weights, no step by more"
    says += f" than {longest:.1g}"
    strength = graded(travel / max(way, 1e-30), 1.0, 10.0, least=0.2)
    return Finding(strength, says, (most.evidence(ways[most.layer.name], travel),))


def _way(ratios: Series, steps: float) -> float:
    """All updates of a layer added up, as if each pointed the same way, between the steps looked at."""
    between = float(np.trapezoid(ratios.values, ratios.steps))
    after = float(ratios.values[-1]) * max(steps - float(ratios.steps[-1]), 0.0)
    return float(ratios.values[0]) + between + after


def _rate(run: Run) -> float:
    """The highest learning rate of the run; 0 where none was recorded."""
    return max((float(np.max(one.finite.values, initial=0.0)) for one in run.all(LEARNING_RATE)), default=0.0)
