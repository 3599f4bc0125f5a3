"""The gradient that gives the first warning."""

from typing import Annotated

import numpy as np

from traindx.curves.curve import curve_of, whole
from traindx.curves.objective import loss_of
from traindx.curves.spikes import spikes_of
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.format import count
from traindx.quantities import GRADIENT_NORM, TRAIN_LOSS
from traindx.run import Run


@sign(needs=(GRADIENT_NORM, TRAIN_LOSS), severity=Severity.WARNING)
def gradient_spikes_before_loss(
    run: Run,
    *,
    height: Annotated[float, "share of the progress undone; bench/thresholds.md#spike-height"] = 0.25,
    within: Annotated[int, "records between the two; bench/thresholds.md#precedes"] = 5,
) -> Answer:
    """The gradient norm spikes just before the loss does."""
    norm, loss = curve_of(whole(run, GRADIENT_NORM)), loss_of(run)
    if loss is None or loss.blocks < 8 or norm.blocks < 8 or norm.axis is not loss.axis:
        return CANNOT_TELL
    spikes = [spike for spike in spikes_of(loss) if spike.height > height * loss.progress]
    warnings = spikes_of(norm)
    if not spikes:
        return None
    record = float(np.median(np.diff(loss.steps)))
    warned = []
    for spike in spikes:
        peak = float(loss.steps[spike.first])
        before = [w for w in warnings if 0 < peak - float(norm.steps[w.first]) <= within * record]
        if before:
            warned.append((float(norm.steps[before[0].first]), peak, before[0]))
    if not warned:
        return None
    says = f"the gradient norm spikes at most {within} records before {len(warned)} of"
    says += f" {count(len(spikes), 'loss spike')}, first at {norm.place(warned[0][0])}"
    first, last, gradient = warned[0]
    evidence = norm.evidence((first, last), gradient.value, gradient.base)
    return Finding(min(1.0, 0.4 + 0.6 * len(warned) / len(spikes)), says, (evidence,))
