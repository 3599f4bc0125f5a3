"""Classes that are counted from 1."""

from traindx.curves.stated import fact_evidence, is_recording
from traindx.facts import LOSS_PLACE, UNUSED_CLASS
from traindx.finding import CANNOT_TELL, Answer, Finding, sign
from traindx.run import Run


@sign(needs=())
def first_class_unused(run: Run) -> Answer:
    """The first output stands for a class that no target names."""
    unused = run.facts.get(UNUSED_CLASS)
    if not isinstance(unused, str) or not unused:
        return None if is_recording(run) else CANNOT_TELL
    return Finding(1.0, unused, (fact_evidence(run, UNUSED_CLASS, LOSS_PLACE),))
