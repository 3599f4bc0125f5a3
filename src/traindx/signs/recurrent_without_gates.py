"""A plain recurrent network."""

from traindx.curves.stated import fact_evidence
from traindx.facts import MODEL, MODEL_PLACE
from traindx.finding import CANNOT_TELL, Answer, Finding, sign
from traindx.run import Run

_PLAIN = ("RNN", "RNNCell", "SimpleRNN")


@sign(needs=(MODEL,))
def recurrent_without_gates(run: Run) -> Answer:
    """A recurrent layer has no gates: what it remembers is multiplied at every step of a sequence."""
    if not run.model:
        return CANNOT_TELL
    found = next((layer for layer in run.model if layer.kind in _PLAIN), None)
    if found is None:
        return None
    says = f"{found.name} is a recurrent layer without gates ({found.kind})"
    return Finding(1.0, says, (fact_evidence(run, MODEL, MODEL_PLACE),))
