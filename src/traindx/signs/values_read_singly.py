"""Values taken out of tensors one by one."""

from typing import Annotated

import numpy as np

from traindx.curves.inside import looked, seen_in
from traindx.curves.stated import fact_evidence, stated_number, stated_word
from traindx.facts import DEVICE, READ_PLACE, READS_PER_STEP
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.quantities import READ_TIME, STEP_TIME
from traindx.run import Run


@sign(needs=(READS_PER_STEP,), severity=Severity.WARNING)
def values_read_singly(
    run: Run,
    *,
    reads: Annotated[float, "values in a step; bench/thresholds.md#reads"] = 30.0,
    share: Annotated[float, "of the step's time; bench/thresholds.md#reads"] = 0.15,
    many: Annotated[float, "values in a step, whatever they cost; bench/thresholds.md#reads"] = 500.0,
    on_device: Annotated[float, "values in a step, on a device; bench/thresholds.md#reads"] = 5.0,
) -> Answer:
    """Each step takes many values out of tensors one by one."""
    count = stated_number(run, READS_PER_STEP)
    if count is None:
        return CANNOT_TELL
    spent, steps = looked(run, READ_TIME), looked(run, STEP_TIME)
    part = 0.0
    if spent is not None and steps is not None:
        part = float(np.median(spent.values)) / max(float(np.median(steps.values)), 1e-12)
    waits = stated_word(run, DEVICE) not in ("", "cpu") and count >= on_device
    # Reading a value is a part of what it takes to get at it: indexing and Python come on top.
    if not waits and (count < reads or (part < share and count < many)):
        return None
    says = f"a step takes {count:.0f} values out of tensors one by one"
    says += ", and each waits for the device" if waits else f", {min(part, 1):.0%} of its time"
    evidence = [fact_evidence(run, READS_PER_STEP, READ_PLACE, limit=reads)]
    evidence += [seen_in(spent, float(np.median(spent.values)))] if spent is not None else []
    strength = 1.0 if waits or count >= many else min(1.0, 0.6 + 0.4 * (part - share) / 0.4)
    return Finding(strength, says, tuple(evidence))
