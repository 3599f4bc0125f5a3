"""A run that was stopped while it still learned."""

from typing import Annotated

from traindx.curves.objective import OBJECTIVES, objective
from traindx.finding import CANNOT_TELL, Answer, Finding, sign
from traindx.run import Run


@sign(needs=(OBJECTIVES,))
def loss_still_falling(
    run: Run,
    *,
    share: Annotated[float, "of all progress in the last quarter; bench/thresholds.md#still-falling"] = 0.04,
    noises: Annotated[float, "fall over its standard error; bench/thresholds.md#noises"] = 4.0,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 8,
) -> Answer:
    """The training loss still falls when the run ends."""
    loss = objective(run)
    if loss is None or len(loss) < points:
        return CANNOT_TELL
    earlier = loss.level_at(0.75)
    fall = earlier - loss.end
    if fall <= max(share * loss.progress, noises * loss.end_noise):
        return None
    says = f"the last quarter takes the {loss.called} from {loss.text(earlier)}"
    says += f" to {loss.text(loss.end)}"
    strength = min(1.0, 0.3 + fall / max(loss.progress, 1e-300))
    return Finding(strength, says, (loss.evidence(loss.since(0.75), loss.end, earlier),))
