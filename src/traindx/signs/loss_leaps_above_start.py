"""A loss that is thrown far above where an untrained network stands."""

from typing import Annotated

from traindx.curves.objective import OBJECTIVES, loss_of
from traindx.curves.spikes import spikes_of
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.run import Run


@sign(needs=(OBJECTIVES,), severity=Severity.WARNING)
def loss_leaps_above_start(
    run: Run,
    *,
    above: Annotated[float, "leap above the start over the level; bench/thresholds.md#leap"] = 0.5,
) -> Answer:
    """A step throws the loss far above its start, where the network knew nothing."""
    loss = loss_of(run)
    # The start of a loss that may be negative says nothing of how wrong a network can be.
    if loss is None or loss.blocks < 8 or loss.floorless:
        return CANNOT_TELL
    leaps = [spike for spike in spikes_of(loss) if spike.value > loss.start + above * loss.size]
    if not leaps:
        return None
    highest = max(leaps, key=lambda spike: spike.value)
    where = (float(loss.steps[highest.first]), float(loss.steps[highest.last]))
    says = f"the {loss.called} begins at {loss.text(loss.start)} and leaps to {loss.text(highest.value)}"
    says += f" at {loss.place(float(loss.steps[highest.peak]))}"
    # A run that comes down well below its start in the end has survived the leap.
    survived = loss.end < loss.start - 0.5 * loss.size
    strength = min(1.0, 0.4 + 0.2 * (highest.value - loss.start) / loss.size) * (0.4 if survived else 1.0)
    evidence = loss.evidence(where, highest.value, loss.start + above * loss.size)
    return Finding(strength, says, (evidence,))
