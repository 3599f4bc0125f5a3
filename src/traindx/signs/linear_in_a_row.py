"""A linear layer right after another."""

from traindx.curves.stated import fact_evidence, stated_number
from traindx.facts import LINEAR_IN_A_ROW, LINEAR_LAYERS, MODEL_PLACE, NONLINEARITIES
from traindx.finding import CANNOT_TELL, Answer, Finding, sign
from traindx.format import printable
from traindx.run import Run

_EACH = 0.25
"""What every layer counts."""


@sign(needs=(LINEAR_IN_A_ROW,))
def linear_in_a_row(run: Run) -> Answer:
    """Some linear layers follow directly on another."""
    names = run.facts[LINEAR_IN_A_ROW]
    if not isinstance(names, str):
        return CANNOT_TELL
    if not names:
        return None
    says = f"nothing bends between these layers and the linear ones before them: {printable(names)}"
    # One such layer is a choice, as in front of attention; most of a stack is a slip.
    hidden = max(1.0, (stated_number(run, LINEAR_LAYERS) or 1) - 1)
    bent = min(1.0, (stated_number(run, NONLINEARITIES) or 0) / hidden)
    strength = max(0.1, min(1.0, _EACH * len(names.split(", "))) * (1 - bent))
    return Finding(strength, says, (fact_evidence(run, LINEAR_IN_A_ROW, MODEL_PLACE),))
