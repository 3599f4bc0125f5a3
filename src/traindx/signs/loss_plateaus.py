"""A loss that fell and then stood still, though not at a floor."""

from typing import Annotated

from traindx.curves.curve import curve_of
from traindx.curves.objective import OBJECTIVES, loss_of
from traindx.curves.schedule import whole_rate
from traindx.curves.settled import at_floor, still_since
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.quantities import LEARNING_RATE
from traindx.run import Run


@sign(needs=(OBJECTIVES,), severity=Severity.WARNING)
def loss_plateaus(
    run: Run,
    *,
    stood: Annotated[float, "share of the run without progress; bench/thresholds.md#stood"] = 0.35,
    decayed: Annotated[float, "rate over its peak that ends a schedule; bench/thresholds.md#decayed"] = 0.1,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 12,
) -> Answer:
    """The training loss fell at first and then stood still, away from any floor."""
    loss = loss_of(run)
    if loss is None or len(loss) < points:
        return CANNOT_TELL
    since = still_since(run, loss)
    if since is None or 1 - since < stood or at_floor(run, loss):
        return None
    if LEARNING_RATE in run:
        rate = curve_of(whole_rate(run))
        # A schedule that has run out ends every training: that is no plateau.
        if len(rate) > 1 and rate.level_at(since) <= decayed * float(rate.values.max()):
            return None
    steps = loss.since(since)
    says = f"the {loss.called} stands at {loss.text(loss.end)} since {loss.place(steps[0])},"
    says += f" the last {1 - since:.0%} of the run"
    return Finding(min(1.0, (1 - since) / (2 * stood)), says, (loss.evidence(steps, loss.end),))
