"""A loss that has arrived."""

from typing import Annotated

from traindx.curves.curve import Curve
from traindx.curves.objective import OBJECTIVES, objective
from traindx.curves.schedule import whole_rate
from traindx.curves.settled import at_floor, still_since
from traindx.finding import CANNOT_TELL, Answer, Finding, sign
from traindx.quantities import LEARNING_RATE
from traindx.run import Run

_NEARLY = 0.2
"""Two levels that people would call one, as a share of them."""


@sign(needs=(OBJECTIVES,))
def loss_converged(
    run: Run,
    *,
    stood: Annotated[float, "share of the run without progress; bench/thresholds.md#stood"] = 0.1,
    decayed: Annotated[float, "rate over its peak that ends a schedule; bench/thresholds.md#decayed"] = 0.1,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 10,
) -> Answer:
    """The training loss has settled at a floor, or with the end of its schedule."""
    loss = objective(run)
    if loss is None or len(loss) < points:
        return CANNOT_TELL
    since = still_since(run, loss)
    if since is None or 1 - since < stood:
        return None
    floor = at_floor(run, loss)
    # Settled with its schedule means late: a loss that stood still at the full rate has settled for less.
    if not floor and (since < 0.4 or not _schedule_ended(run, decayed)):
        return None
    why = "near its floor" if floor else "with the learning rate decayed"
    says = f"the {loss.called} {_arrival(loss, loss.block_at(since))}, {why}"
    return Finding(1.0 if floor else 0.7, says, (loss.evidence(loss.since(since), loss.end),))


def _arrival(loss: Curve, block: int) -> str:
    """Where and when it settles; where it falls on by orders of magnitude below, what it comes down to."""
    level, place = float(loss.trend[block]), loss.place(float(loss.at[block]))
    if abs(level - loss.end) <= max(3 * loss.end_noise, _NEARLY * abs(loss.end)):
        return f"settles at {loss.text(loss.end)} from {place} on"
    return f"is down to {loss.text(level)} at {place} and ends at {loss.text(loss.end)}"


def _schedule_ended(run: Run, decayed: float) -> bool:
    if LEARNING_RATE not in run:
        return False
    rate = whole_rate(run).finite.values
    return len(rate) > 1 and float(rate[-1]) <= decayed * float(rate.max())
