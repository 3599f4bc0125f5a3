"""Optimizer steps that are left out because a number did not fit."""

from typing import Annotated

import numpy as np

from traindx.curves.curve import whole
from traindx.finding import CANNOT_TELL, Answer, Evidence, Finding, Severity, sign
from traindx.format import count
from traindx.quantities import LOSS_SCALE, NONFINITE_STEPS, SKIPPED_STEPS
from traindx.run import EventKind, Floats, Run


@sign(needs=(), severity=Severity.WARNING)
def steps_overflow(
    run: Run,
    *,
    share: Annotated[float, "of steps that loss scaling may skip; bench/thresholds.md#skipped"] = 0.05,
) -> Answer:
    """Many steps are skipped because numbers overflow."""
    skipped = next((whole(run, one).finite for one in (SKIPPED_STEPS, NONFINITE_STEPS) if one in run), None)
    if skipped is not None and len(skipped):
        return _counted(skipped.values, skipped.steps, share)
    overflows = [event for event in run.events if event.kind is EventKind.OVERFLOW]
    if not overflows:
        return None if LOSS_SCALE in run else CANNOT_TELL
    longest = max((len(series) for series in run.series), default=1)
    if len(overflows) < max(3, share * longest):
        return None
    steps = [event.step for event in overflows if event.step is not None]
    where = (min(steps), max(steps)) if steps else (0.0, 0.0)
    says = f"the log reports {count(len(overflows), 'overflow')}"
    return Finding(0.8, says, (Evidence(SKIPPED_STEPS, where, float(len(overflows))),))


def _counted(values: Floats, steps: Floats, share: float) -> Answer:
    """From a series that is either a running total or one flag or count per record."""
    total = bool(np.all(np.diff(values) >= 0)) and float(values[-1]) > 1
    each = np.diff(values, prepend=values[0]) if total else values
    # The second half only: at first loss scaling finds its scale by skipping steps, in healthy runs too.
    late = len(values) // 2
    covered = max(float(steps[-1] - steps[late]), float(len(values) - late), 1.0)
    skipped = float(each[late:].sum())
    part = skipped / covered
    if not part >= share or not np.isfinite(skipped):
        return None
    where = (float(steps[late]), float(steps[-1]))
    says = f"{skipped:,.0f} of the last {covered:,.0f} steps are skipped"
    return Finding(min(1.0, 0.4 + part / (4 * share)), says, (Evidence(SKIPPED_STEPS, where, skipped),))
