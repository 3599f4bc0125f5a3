"""Steps too short to get anywhere."""

from typing import Annotated

import numpy as np

from traindx.curves.inside import graded, matrices, steps_taken
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity
from traindx.quantities import UPDATE_RATIO
from traindx.run import Run
from traindx.sign import sign


@sign(needs=(UPDATE_RATIO,), severity=Severity.WARNING)
def updates_tiny(
    run: Run,
    *,
    ratio: Annotated[float, "update over weight, by norm; bench/thresholds.md#updates"] = 1e-4,
    travel: Annotated[float, "all updates over weight; bench/thresholds.md#updates"] = 0.3,
    looks: Annotated[int, "fewest looks; bench/thresholds.md#few-looks"] = 3,
) -> Answer:
    """No layer moves by more than a tiny part of its weights, over the whole run."""
    layers = [one for one in matrices(run, UPDATE_RATIO) if len(one.series) >= looks]
    if not layers:
        return CANNOT_TELL
    # The layer that moves most, at its livelier looks: where gradients vanish, the last layer still moves.
    lively = {one.layer.name: float(np.quantile(one.series.values, 0.75)) for one in layers}
    most = max(layers, key=lambda one: lively[one.layer.name])
    fastest = lively[most.layer.name]
    way = fastest * steps_taken(run)
    if fastest >= ratio or way >= travel:
        return None
    says = f"no layer moves by more than {fastest:.1g} of its weights in a step ({most.layer.name})"
    says += f", {way:.1g} over all steps together"
    strength = graded(ratio / max(fastest, 1e-30), 1.0, 100.0)
    return Finding(strength, says, (most.evidence(fastest, ratio),))
