"""A loss function that refuses what the model gives."""

import re

from traindx.curves.stated import is_recording
from traindx.facts import LOSS_FUNCTION
from traindx.finding import CANNOT_TELL, Answer, Evidence, Finding, Severity, sign
from traindx.run import EventKind, Run

_REFUSAL = re.compile(r"should be between 0 and 1\b|input_val >= zero && input_val <= one")
"""What torch says of an input of `binary_cross_entropy`, on a processor and on a GPU."""


@sign(needs=(), severity=Severity.CRITICAL)
def probabilities_refused(run: Run) -> Answer:
    """The program stopped because the loss function takes probabilities and got something else."""
    stops = [one for one in run.events if one.kind is EventKind.EXCEPTION]
    refused = next((one for one in stops if _REFUSAL.search(one.says)), None)
    if refused is None:
        return None if is_recording(run) else CANNOT_TELL
    says = f'the loss function takes probabilities and stopped the program: "{refused.says}"'
    step = refused.step or 0.0
    # The call never came back, so that nothing else is recorded of it.
    return Finding(1.0, says, (Evidence(LOSS_FUNCTION, (step, step), "binary_cross_entropy"),))
