"""A NaN that the loss itself makes."""

from traindx.curves.first_nonfinite import POLES, first_nonfinite, nonfinite_evidence
from traindx.curves.stated import is_recording, place_of
from traindx.facts import LOSS_PLACE, NONFINITE_SOURCE
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.quantities import TRAIN_LOSS
from traindx.run import Run


@sign(needs=(TRAIN_LOSS,), severity=Severity.CRITICAL)
def nonfinite_from_loss(run: Run) -> Answer:
    """The first NaN or infinity comes out of a logarithm, a quotient or a root of finite numbers."""
    event = first_nonfinite(run)
    if event is None:
        return None if is_recording(run) else CANNOT_TELL
    if event.operation not in POLES or run.facts.get(NONFINITE_SOURCE) in ("input", "target", "parameter"):
        return None
    return Finding(1.0, event.says, (nonfinite_evidence(event, run, place_of(run, LOSS_PLACE)),))
