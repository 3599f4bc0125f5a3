"""A model that passes everything through a few units."""

from typing import Annotated

from traindx.curves.inside import inputs_of, is_matrix, is_recurrent, units_of
from traindx.curves.stated import fact_evidence, stated_number
from traindx.facts import CLASSES, MODEL_PLACE, PARAMETERS
from traindx.finding import CANNOT_TELL, Answer, Finding, sign
from traindx.run import Run

_MANY = 20
"""Classes beyond which their number says nothing of the room they need, as with the pairs of a batch."""


@sign(needs=(PARAMETERS,))
def bottleneck_narrow(
    run: Run,
    *,
    units: Annotated[int, "of the narrowest hidden layer; bench/thresholds.md#capacity"] = 4,
    total: Annotated[int, "parameters; bench/thresholds.md#capacity"] = 60,
) -> Answer:
    """The narrowest hidden layer has a handful of units, or the whole model a handful of parameters."""
    layers = [layer for layer in run.model if is_matrix(layer)]
    size = stated_number(run, PARAMETERS)
    if not layers or size is None:
        return CANNOT_TELL
    classes = stated_number(run, CLASSES) or 0
    hidden = [layer for layer in layers[:-1] if not is_recurrent(layer) and inputs_of(layer) > 1]
    narrow = min(hidden, key=units_of, default=None)
    least = max(units, min(classes, _MANY) // 4)
    if narrow is not None and units_of(narrow) <= least:
        says = f"everything passes the {units_of(narrow)} units of {narrow.name}"
        return Finding(1.0, says, (fact_evidence(run, PARAMETERS, MODEL_PLACE),))
    if size > total:
        return None
    says = f"the model has {size:.0f} parameters"
    return Finding(0.6, says, (fact_evidence(run, PARAMETERS, MODEL_PLACE, limit=total),))
