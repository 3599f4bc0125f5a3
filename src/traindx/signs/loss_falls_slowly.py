"""A loss that moves, but would take far too long."""

from typing import Annotated

from traindx.curves.objective import OBJECTIVES, chance_loss, loss_of
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.run import Axis, Run


@sign(needs=(OBJECTIVES,), severity=Severity.WARNING)
def loss_falls_slowly(
    run: Run,
    *,
    share: Annotated[float, "fall over the level in the whole run; bench/thresholds.md#slow"] = 0.3,
    straight: Annotated[float, "late pace over mean pace; bench/thresholds.md#slow"] = 0.5,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 15,
) -> Answer:
    """The training loss falls so slowly that it is still near its start at the end."""
    loss = loss_of(run)
    # How far a loss should fall that may be negative is not known.
    if loss is None or len(loss) < points or loss.floorless:
        return CANNOT_TELL
    if loss.axis is Axis.STEP and loss.steps[-1] - loss.steps[0] < 50:
        return CANNOT_TELL
    fall = loss.start - loss.end
    if fall <= max(5 * loss.end_noise, 0.001 * loss.size):
        return None
    # At chance or above, only the part below chance is learning.
    size = max(loss.size, chance_loss(run) or 0.0)
    if fall > share * size:
        return None
    # A good rate falls fast at first and slower later; one that is too low falls as a straight line.
    pace = (loss.level_at(2 / 3) - loss.end) / (fall / 3)
    if pace < straight:
        return None
    says = f"the whole run takes the {loss.called} from {loss.text(loss.start)} to"
    says += f" {loss.text(loss.end)}, and the last third goes at {pace:.1f} times the mean pace"
    steps = (float(loss.steps[0]), float(loss.steps[-1]))
    strength = min(1.0, max(0.2, 1.3 - fall / (share * size)) * min(1.0, pace))
    return Finding(strength, says, (loss.evidence(steps, loss.end, loss.start - share * size),))
