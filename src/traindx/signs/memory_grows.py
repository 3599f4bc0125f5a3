"""Memory that only ever grows."""

from typing import Annotated

import numpy as np

from traindx.curves.curve import whole
from traindx.finding import CANNOT_TELL, Answer, Evidence, Finding, Severity, sign
from traindx.format import number
from traindx.quantities import MEMORY
from traindx.run import Run, Series

_PACES = 3
"""Stretches whose pace is compared."""


@sign(needs=(MEMORY,), severity=Severity.WARNING)
def memory_grows(
    run: Run,
    *,
    growth: Annotated[float, "over the second half; bench/thresholds.md#memory"] = 0.1,
    steady: Annotated[float, "share of stretches that rise; bench/thresholds.md#memory"] = 0.8,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 12,
    looks: Annotated[int, "fewest looks at ever longer distances; bench/thresholds.md#few-points"] = 6,
    leak: Annotated[float, "over the second half, at an even pace; bench/thresholds.md#memory"] = 0.01,
) -> Answer:
    """Memory in use grows steadily to the end."""
    memory = whole(run, MEMORY).finite
    if len(memory) < max(looks, _PACES + 1) or float(memory.values.min()) <= 0:
        return CANNOT_TELL
    if len(memory) < points:
        return _at_an_even_pace(memory, leak)
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


def _at_an_even_pace(memory: Series, leak: float) -> Answer:
    """The answer from few looks at ever longer distances: caches fill up and flatten, a leak does not."""
    steps, values = memory.steps, memory.values
    pace = (np.diff(values) / np.diff(steps))[-_PACES:]
    middle = float(np.interp(steps[-1] / 2, steps, values))
    grown = float(values[-1]) / middle - 1
    if grown < leak or float(pace.min()) <= 0 or float(pace[-1]) < 0.4 * float(pace.max()):
        return None
    says = f"memory goes from {number(middle)} to {number(float(values[-1]))} in the second half, evenly"
    where = (float(steps[-_PACES - 1]), float(steps[-1]))
    evidence = Evidence(MEMORY, where, float(values[-1]), middle * (1 + leak), memory.axis)
    return Finding(min(1.0, 0.5 + 10 * grown), says, (evidence,))
