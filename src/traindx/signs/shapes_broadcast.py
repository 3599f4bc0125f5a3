"""A loss that compares everything with everything."""

from traindx.curves.stated import fact_evidence
from traindx.facts import BACKWARD_PLACE, LOSS_FUNCTION, LOSS_PLACE, LOSS_SHAPES
from traindx.finding import Answer, Finding, Severity, sign
from traindx.run import Run


@sign(needs=((LOSS_FUNCTION, LOSS_SHAPES),), severity=Severity.SERIOUS)
def shapes_broadcast(run: Run) -> Answer:
    """Prediction and target differ in shape, and the loss stretches one to the other."""
    shapes = run.facts.get(LOSS_SHAPES)
    if not isinstance(shapes, str) or not shapes:
        return None
    loss = run.facts.get(LOSS_FUNCTION, "the loss")
    says = f"{loss} stretches shapes to each other: {shapes}, so that each prediction is"
    says += " compared with the target of every sample"
    return Finding(1.0, says, (fact_evidence(run, LOSS_SHAPES, LOSS_PLACE, BACKWARD_PLACE),))
