"""The first question: does it learn at all."""

from typing import Annotated

from traindx.curves.objective import OBJECTIVES, chance_loss, is_reinforcement, objective
from traindx.curves.robust import rank_trend
from traindx.finding import CANNOT_TELL, Answer, Finding, sign
from traindx.run import Run


@sign(needs=(OBJECTIVES,))
def loss_falls(
    run: Run,
    *,
    noises: Annotated[float, "fall over its standard error; bench/thresholds.md#noises"] = 5.0,
    steady: Annotated[float, "rank trend downwards of the whole run; bench/thresholds.md#steady"] = 4.0,
    share: Annotated[float, "fall over the level that is clear; bench/thresholds.md#clear-fall"] = 0.3,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 6,
) -> Answer:
    """The training loss ends clearly below where it began."""
    loss = objective(run)
    if loss is None or len(loss) < points:
        return CANNOT_TELL
    fall = loss.start - loss.end
    # A reward is so noisy that less than two of its own noises is no gain.
    least = (2 if is_reinforcement(run) else 1) * loss.noise
    # In a short run of small batches no stretch is long enough to be sure of, but all of it together may be.
    steadily = fall > 2 * loss.end_noise and rank_trend(loss.level) <= -steady
    if fall <= max(0.02 * loss.size, least) or not (fall > noises * loss.end_noise or steadily):
        return None
    chance = chance_loss(run)
    if chance is not None and loss.quantity.slug.endswith("_loss") and abs(loss.end / chance - 1) < 0.03:
        # What fell was only the excess above guessing: nothing was learned.
        return None
    verb = "rose" if loss.shown(1) < 0 else "fell"
    says = f"the {loss.called} {verb} from {loss.text(loss.start)} to {loss.text(loss.end)}"
    steps = (float(loss.steps[0]), float(loss.steps[-1]))
    return Finding(min(1.0, fall / (share * loss.size)), says, (loss.evidence(steps, loss.end, loss.start),))
