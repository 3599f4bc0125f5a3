"""Targets that hold NaN or infinity."""

from traindx.curves.first_nonfinite import not_finite_in
from traindx.facts import NONFINITE_SOURCE
from traindx.finding import Answer, Severity, sign
from traindx.quantities import TARGET_NONFINITE_SHARE
from traindx.run import Run


@sign(needs=((TARGET_NONFINITE_SHARE, NONFINITE_SOURCE),), severity=Severity.CRITICAL)
def targets_not_finite(run: Run) -> Answer:
    """Targets are NaN or infinite."""
    return not_finite_in(run, TARGET_NONFINITE_SHARE, "target", "targets")
