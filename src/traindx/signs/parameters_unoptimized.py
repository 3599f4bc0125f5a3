"""Parameters that no optimizer holds."""

from traindx.curves.holding import held_back
from traindx.curves.stated import fact_evidence
from traindx.facts import OPTIMIZER_PLACE, UNOPTIMIZED_PARAMETERS
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.run import Run


@sign(needs=(UNOPTIMIZED_PARAMETERS,), severity=Severity.SERIOUS)
def parameters_unoptimized(run: Run) -> Answer:
    """Parameters of the model take a gradient, but no optimizer holds them."""
    if not run.model:
        return CANNOT_TELL
    found = held_back(run, lambda layer: layer.trainable and not layer.optimized)
    if found is None:
        return None
    says = f"{found.told} are in no optimizer, so they never change"
    # To train the last layers alone by giving only them to the optimizer is done on purpose.
    strength = 0.5 if found.is_first_part else min(1.0, 0.7 + 0.3 * found.share)
    return Finding(strength, says, (fact_evidence(run, UNOPTIMIZED_PARAMETERS, OPTIMIZER_PLACE),))
