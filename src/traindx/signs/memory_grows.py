"""Memory that only ever grows."""

from typing import Annotated

import numpy as np

from traindx.curves.curve import whole
from traindx.finding import CANNOT_TELL, Answer, Evidence, Finding, Severity
from traindx.quantities import MEMORY
from traindx.run import Run
from traindx.sign import sign
from traindx.wording import number


@sign(needs=(MEMORY,), severity=Severity.WARNING)
def memory_grows(
    run: Run,
    *,
    growth: Annotated[float, "over the second half; bench/thresholds.md#memory"] = 0.1,
    steady: Annotated[float, "share of stretches that rise; bench/thresholds.md#memory"] = 0.8,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 12,
) -> Answer:
    """Memory in use grows steadily to the end."""
    memory = whole(run, MEMORY).finite
    if len(memory) < points or float(memory.values.min()) <= 0:
        return CANNOT_TELL
    # The second half only: caches and workers fill up at first in every run.
    late = memory.values[len(memory) // 2 :]
    levels = np.array([float(np.median(part)) for part in np.array_split(late, 6)])
    grown = levels[-1] / levels[0] - 1
    if grown < growth or float(np.mean(np.diff(levels) > 0)) < steady:
        return None
    where = (float(memory.steps[len(memory) // 2]), float(memory.steps[-1]))
    says = f"memory goes from {number(levels[0])} to {number(levels[-1])} in the second half"
    evidence = Evidence(MEMORY, where, float(levels[-1]), float(levels[0] * (1 + growth)), memory.axis)
    return Finding(min(1.0, 0.5 + 2.5 * grown), says, (evidence,))
