"""Steps too short to get anywhere."""

from typing import Annotated

import numpy as np

from traindx.curves.inside import graded, learns, matrices, steps_taken
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity
from traindx.quantities import UPDATE_RATIO
from traindx.run import Run
from traindx.sign import sign


@sign(needs=(UPDATE_RATIO,), severity=Severity.WARNING)
def updates_tiny(
    run: Run,
    *,
    ratio: Annotated[float, "update over weight, by norm; bench/thresholds.md#updates"] = 1e-3,
    travel: Annotated[float, "all updates over weight; bench/thresholds.md#updates"] = 1.0,
    looks: Annotated[int, "fewest looks; bench/thresholds.md#few-looks"] = 3,
) -> Answer:
    """All steps together can have moved the typical layer by a small part of its weights only."""
    layers = [one for one in matrices(run, UPDATE_RATIO) if len(one.series) >= looks and learns(one.layer)]
    if not layers:
        return CANNOT_TELL
    # At its livelier looks: late in a good run steps become short as well.
    lively = {one.layer.name: float(np.quantile(one.series.values, 0.75)) for one in layers}
    middle = float(np.median(list(lively.values())))
    way = middle * steps_taken(run)
    if middle >= ratio or way >= travel:
        return None
    most = max(layers, key=lambda one: lively[one.layer.name])
    says = f"a step moves the typical layer by {middle:.1g} of its weights, all steps together by {way:.1g}"
    says += f"; {most.layer.name} moves most, {lively[most.layer.name]:.1g} in a step"
    strength = graded(travel / max(way, 1e-30), 1.0, 30.0, least=0.2)
    return Finding(strength, says, (most.evidence(lively[most.layer.name], ratio),))
