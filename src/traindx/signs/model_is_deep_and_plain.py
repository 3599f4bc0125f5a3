"""A deep stack without anything that keeps its scale."""

from typing import Annotated

from traindx.curves.inside import is_matrix
from traindx.curves.stated import fact_evidence, stated_number
from traindx.facts import NORMALISATION_LAYERS
from traindx.finding import CANNOT_TELL, Answer, Finding, sign
from traindx.run import Run


@sign(needs=(NORMALISATION_LAYERS,))
def model_is_deep_and_plain(
    run: Run, *, layers: Annotated[int, "weight matrices; bench/thresholds.md#depth"] = 8
) -> Answer:
    """The model is deep and has no normalisation layer."""
    norms = stated_number(run, NORMALISATION_LAYERS)
    if not run.model or norms is None:
        return CANNOT_TELL
    deep = sum(is_matrix(layer) for layer in run.model)
    if norms or deep < layers:
        return None
    says = f"{deep} weight matrices without a normalisation layer"
    return Finding(1.0, says, (fact_evidence(run, NORMALISATION_LAYERS),))
