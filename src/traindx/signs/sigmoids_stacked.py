"""Hidden layers of sigmoids."""

from typing import Annotated

from traindx.curves.bounded_layers import hidden_bounded
from traindx.curves.inside import by_layer, graded, seen_in
from traindx.finding import CANNOT_TELL, Answer, Finding, sign
from traindx.quantities import ACTIVATION_MEAN, SATURATED_SHARE
from traindx.run import Run

_CENTRE = (0.2, 0.8)
"""Where the mean output of a sigmoid lies at first; that of a tanh is near 0."""


@sign(needs=(SATURATED_SHARE, ACTIVATION_MEAN))
def sigmoids_stacked(
    run: Run, *, layers: Annotated[int, "hidden layers; bench/thresholds.md#sigmoids"] = 1
) -> Answer:
    """Hidden layers end in a sigmoid, which passes a quarter of a gradient at most."""
    bounded = {one.layer for one in hidden_bounded(run)}
    if not bounded:
        return CANNOT_TELL
    # The gates of recurrent layers are sigmoids on purpose; a layer of its own has no weights.
    weighted = {layer.name.rpartition(".")[0] for layer in run.model}
    means = [one for one in by_layer(run, ACTIVATION_MEAN) if one.layer in bounded - weighted]
    found = [one for one in means if _CENTRE[0] < float(one.values[0]) < _CENTRE[1]]
    if len(found) < layers:
        return None
    names = ", ".join(str(one.layer) for one in found[:3]) + (" ..." if len(found) > 3 else "")
    says = f"{len(found)} hidden {'layers end' if len(found) > 1 else 'layer ends'} in a sigmoid ({names})"
    strength = graded(len(found), layers, layers + 3, least=0.3)
    return Finding(strength, says, (seen_in(found[0], float(found[0].values[0])),))
