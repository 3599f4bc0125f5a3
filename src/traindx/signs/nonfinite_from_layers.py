"""A NaN that arises in the model, from finite inputs."""

from traindx.curves.first_nonfinite import POLES, first_nonfinite, nonfinite_evidence
from traindx.curves.stated import is_recording
from traindx.facts import NONFINITE_SOURCE
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.quantities import TRAIN_LOSS
from traindx.run import Run


@sign(needs=(TRAIN_LOSS,), severity=Severity.CRITICAL)
def nonfinite_from_layers(run: Run) -> Answer:
    """The first NaN or infinity is an overflow of sums and products that had grown too large."""
    event = first_nonfinite(run)
    if event is None:
        return None if is_recording(run) else CANNOT_TELL
    source = run.facts.get(NONFINITE_SOURCE)
    if event.operation in POLES or source in ("input", "target"):
        return None
    return Finding(1.0, event.says, (nonfinite_evidence(event, run, ""),))
