"""A number too large for half precision."""

from traindx.curves.first_nonfinite import first_nonfinite, nonfinite_evidence
from traindx.curves.stated import is_recording, place_of, stated_word
from traindx.facts import BACKWARD_PLACE, LOSS_PLACE, PARAMETER_PRECISION, PRECISION
from traindx.finding import CANNOT_TELL, Answer, Evidence, Finding, Severity, sign
from traindx.quantities import TRAIN_LOSS
from traindx.run import EventKind, Run

_HALF = ("float16", "fp16", "half", "16-mixed", "16-true", "16")


@sign(needs=(TRAIN_LOSS,), severity=Severity.CRITICAL)
def nonfinite_from_half(run: Run) -> Answer:
    """Values leave the range of 16-bit floats: the first infinity arises in half precision."""
    if not is_recording(run):
        return CANNOT_TELL
    event = first_nonfinite(run)
    overflows = [one for one in run.events if one.kind is EventKind.OVERFLOW and one.step is not None]
    half = stated_word(run, PRECISION) in _HALF or stated_word(run, PARAMETER_PRECISION) in _HALF
    if event is not None and (half or "float16" in event.says):
        return Finding(1.0, event.says, (nonfinite_evidence(event, run, place_of(run, LOSS_PLACE)),))
    if len(overflows) > 3:
        steps = [one.step for one in overflows if one.step is not None]
        says = f"{len(overflows)} steps were left out because a gradient overflowed in half precision"
        where = (min(steps), max(steps))
        evidence = Evidence(TRAIN_LOSS, where, float(len(steps)), place=place_of(run, BACKWARD_PLACE))
        return Finding(min(1.0, 0.3 + len(steps) / 40), says, (evidence,))
    return None
