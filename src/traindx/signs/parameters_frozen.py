"""Parameters whose gradient is switched off."""

from traindx.curves.holding import Held, held_back
from traindx.curves.stated import fact_evidence
from traindx.facts import FROZEN_PARAMETERS, MODEL_PLACE
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.run import Run


@sign(needs=(FROZEN_PARAMETERS,), severity=Severity.WARNING)
def parameters_frozen(run: Run) -> Answer:
    """Parameters of the model take no gradient (requires_grad is off)."""
    if not run.model:
        return CANNOT_TELL
    found = held_back(run, lambda layer: not layer.trainable)
    if found is None:
        return None
    says = f"{found.told} take no gradient (requires_grad is off)"
    return Finding(_strength(found), says, (fact_evidence(run, FROZEN_PARAMETERS, MODEL_PLACE),))


def _strength(found: Held) -> float:
    # The first layers are frozen on purpose every day, the last ones or scattered ones by mistake.
    return 0.5 if found.is_first_part else 0.6 + 0.4 * found.share
