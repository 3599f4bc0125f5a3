"""A linear layer right after another."""

from traindx.curves.stated import fact_evidence
from traindx.facts import LINEAR_IN_A_ROW, MODEL_PLACE
from traindx.finding import CANNOT_TELL, Answer, Finding
from traindx.run import Run
from traindx.sign import sign
from traindx.wording import printable


@sign(needs=(LINEAR_IN_A_ROW,))
def linear_in_a_row(run: Run) -> Answer:
    """Some linear layers follow directly on another."""
    names = run.facts[LINEAR_IN_A_ROW]
    if not isinstance(names, str):
        return CANNOT_TELL
    if not names:
        return None
    says = f"nothing bends between these layers and the linear ones before them: {printable(names)}"
    return Finding(1.0, says, (fact_evidence(run, LINEAR_IN_A_ROW, MODEL_PLACE),))
