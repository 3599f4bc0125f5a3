"""A network that is applied step by step."""

from traindx.curves.inside import is_recurrent
from traindx.curves.stated import fact_evidence
from traindx.facts import MODEL
from traindx.finding import CANNOT_TELL, Answer, Finding, sign
from traindx.run import Run


@sign(needs=(MODEL,))
def model_is_recurrent(run: Run) -> Answer:
    """The model passes its state from step to step of a sequence."""
    if not run.model:
        return CANNOT_TELL
    found = next((layer for layer in run.model if is_recurrent(layer)), None)
    if found is None:
        return None
    return Finding(1.0, f"{found.name} is a recurrent layer ({found.kind})", (fact_evidence(run, MODEL),))
