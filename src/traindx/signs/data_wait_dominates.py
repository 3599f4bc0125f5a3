"""A run that waits for its data."""

from typing import Annotated

import numpy as np

from traindx.curves.curve import whole
from traindx.finding import CANNOT_TELL, Answer, Evidence, Finding, Severity, sign
from traindx.quantities import DATA_TIME, STEP_TIME
from traindx.run import Run


@sign(needs=(DATA_TIME, STEP_TIME), severity=Severity.WARNING)
def data_wait_dominates(
    run: Run,
    *,
    share: Annotated[float, "of the step spent waiting; bench/thresholds.md#data-wait"] = 0.5,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 5,
) -> Answer:
    """A large part of every step is spent waiting for data."""
    wait, total = whole(run, DATA_TIME).finite, whole(run, STEP_TIME).finite
    # The first records hold the start of the workers, not the pace of the run.
    wait_times, step_times = wait.values[len(wait) // 10 :], total.values[len(total) // 10 :]
    if min(len(wait_times), len(step_times)) < points or float(step_times.sum()) <= 0:
        return CANNOT_TELL
    # Means, not medians: workers that hand over in bursts wait rarely and long.
    part = float(np.mean(wait_times) / np.mean(step_times))
    if not np.isfinite(part):
        return CANNOT_TELL
    if part > 1.05:
        # The step was timed without the wait.
        part = part / (1 + part)
    if part < share:
        return None
    where = (float(wait.steps[0]), float(wait.steps[-1]))
    says = f"{part:.0%} of the step time is spent waiting for data"
    return Finding(
        min(1.0, 0.3 + 0.7 * (part - share) / 0.4),
        says,
        (Evidence(DATA_TIME, where, float(np.mean(wait_times)), axis=wait.axis),),
    )
