"""Batches that hold NaN or infinity."""

from traindx.curves.first_nonfinite import first_nonfinite, nonfinite_evidence
from traindx.curves.inside import looked, seen_in
from traindx.curves.stated import place_of
from traindx.facts import LOADER_PLACE, NONFINITE_SOURCE
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity
from traindx.quantities import INPUT_NONFINITE_SHARE
from traindx.run import Run
from traindx.sign import sign


@sign(needs=((INPUT_NONFINITE_SHARE, NONFINITE_SOURCE),), severity=Severity.CRITICAL)
def inputs_not_finite(run: Run) -> Answer:
    """Values that enter the model are NaN or infinite."""
    event = first_nonfinite(run)
    if event is not None and run.facts.get(NONFINITE_SOURCE) == "input":
        return Finding(1.0, event.says, (nonfinite_evidence(event, run, place_of(run, LOADER_PLACE)),))
    share = looked(run, INPUT_NONFINITE_SHARE)
    if share is None:
        return CANNOT_TELL
    bad = share.values > 0
    if not bad.any():
        return None
    first, worst = float(share.steps[bad][0]), float(share.values.max())
    says = f"up to {worst:.2%} of the model's inputs are NaN or infinite, first at step {first:,.0f}"
    return Finding(1.0, says, (seen_in(share, worst, 0.0, (first, float(share.steps[bad][-1]))),))
