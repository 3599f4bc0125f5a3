"""Rises of the loss that come again and again."""

import math
from typing import Annotated

import numpy as np

from traindx.curves.objective import OBJECTIVES, loss_of
from traindx.curves.spikes import spikes_of
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.format import number
from traindx.run import Floats, Run


@sign(needs=(OBJECTIVES,), severity=Severity.WARNING)
def spikes_recur(
    run: Run,
    *,
    fewest: Annotated[int, "spikes; bench/thresholds.md#recurring"] = 3,
    height: Annotated[float, "share of the progress undone; bench/thresholds.md#spike-height"] = 0.25,
) -> Answer:
    """The loss spikes again and again."""
    loss = loss_of(run)
    if loss is None or loss.blocks < 8:
        return CANNOT_TELL
    spikes = [spike for spike in spikes_of(loss) if spike.height > height * loss.progress]
    if len(spikes) < fewest:
        return None
    peaks = [float(loss.steps[spike.peak]) for spike in spikes]
    typical = float(np.median([spike.height for spike in spikes]))
    says = f"{len(spikes)} spikes between {loss.place(peaks[0])} and {loss.place(peaks[-1])}"
    says += f", typically {number(typical)} high"
    rhythm = _rhythm(np.array(peaks))
    if rhythm:
        says += f", about every {number(rhythm)} {loss.axis.value}s"
    worst = max(spikes, key=lambda spike: spike.height)
    # Those that undo all progress weigh most, and so do those that keep a rhythm; a run that outgrew them is
    # warned, not ill.
    late = peaks[-1] > loss.steps[0] + 0.6 * (loss.steps[-1] - loss.steps[0])
    size = math.log2(1 + typical / max(loss.progress, 1e-300))
    strength = min(1.0, 0.5 + 0.15 * size + (0.2 if rhythm else 0.0)) * (1.0 if late else 0.4)
    return Finding(strength, says, (loss.evidence((peaks[0], peaks[-1]), worst.value, worst.base),))


def _rhythm(peaks: Floats) -> float | None:
    """The distance between spikes, where it is nearly constant."""
    gaps = np.diff(peaks)
    if len(gaps) < 3:
        return None
    middle = float(np.median(gaps))
    return middle if float(np.median(np.abs(gaps - middle))) < 0.1 * middle else None
