"""Single rises of the loss that it recovers from."""

from typing import Annotated

from traindx.curves.objective import OBJECTIVES, loss_of
from traindx.curves.spikes import spikes_of
from traindx.finding import CANNOT_TELL, Answer, Finding, sign
from traindx.format import count
from traindx.run import Run


@sign(needs=(OBJECTIVES,))
def loss_spikes(
    run: Run,
    *,
    most: Annotated[int, "above this they recur; bench/thresholds.md#recurring"] = 2,
) -> Answer:
    """The loss jumps up once or twice and comes back."""
    loss = loss_of(run)
    if loss is None or loss.blocks < 8:
        return CANNOT_TELL
    spikes = spikes_of(loss)
    recovered = [spike for spike in spikes if spike.last < len(loss) - 1]
    if not recovered or len(spikes) > most:
        return None
    worst = max(recovered, key=lambda spike: spike.height)
    first, last = float(loss.steps[worst.first]), float(loss.steps[worst.last])
    says = (
        f"{count(len(recovered), 'spike')}, the highest at {loss.place(float(loss.steps[worst.peak]))}"
        f" to {loss.text(worst.value)} from {loss.text(worst.base)}, and it comes back"
    )
    strength = min(1.0, 0.4 + 0.6 * worst.height / max(loss.progress, worst.height))
    return Finding(strength, says, (loss.evidence((first, last), worst.value, worst.base),))
