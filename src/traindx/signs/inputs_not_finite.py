"""Batches that hold NaN or infinity."""

from traindx.curves.first_nonfinite import not_finite_in
from traindx.facts import NONFINITE_SOURCE
from traindx.finding import Answer, Severity, sign
from traindx.quantities import INPUT_NONFINITE_SHARE
from traindx.run import Run


@sign(needs=((INPUT_NONFINITE_SHARE, NONFINITE_SOURCE),), severity=Severity.CRITICAL)
def inputs_not_finite(run: Run) -> Answer:
    """Values that enter the model are NaN or infinite."""
    return not_finite_in(run, INPUT_NONFINITE_SHARE, "input", "model's inputs")
