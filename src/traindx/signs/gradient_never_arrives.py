"""Parameters that the loss does not reach."""

from traindx.curves.holding import held_back
from traindx.curves.stated import fact_evidence
from traindx.facts import BACKWARD_PLACE, GRADIENTLESS_PARAMETERS, MODEL_PLACE
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.run import Run


@sign(needs=(GRADIENTLESS_PARAMETERS,), severity=Severity.SERIOUS)
def gradient_never_arrives(run: Run) -> Answer:
    """Parameters that take a gradient and are optimized never got one other than zero."""
    if not run.model:
        return CANNOT_TELL
    found = held_back(run, lambda layer: layer.trainable and layer.optimized and not layer.gradient)
    if found is None:
        return None
    says = f"{found.told} never got a gradient other than zero"
    # What lies before a cut gets none; a branch that is not used gets none either, and harms nobody.
    strength = 1.0 if found.is_first_part or found.share > 0.5 else 0.5
    evidence = fact_evidence(run, GRADIENTLESS_PARAMETERS, MODEL_PLACE, BACKWARD_PLACE)
    return Finding(strength, says, (evidence,))
