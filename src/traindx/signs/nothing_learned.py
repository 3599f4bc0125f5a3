"""A run that ends where the best constant guess stands."""

from typing import Annotated

from traindx.curves.against_chance import against_chance
from traindx.facts import CHANCE_LOSS
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.format import number
from traindx.quantities import TRAIN_LOSS
from traindx.run import Run


@sign(needs=(CHANCE_LOSS, TRAIN_LOSS), severity=Severity.SERIOUS)
def nothing_learned(
    run: Run,
    *,
    share: Annotated[float, "of what the best constant guess loses; bench/thresholds.md#learned"] = 0.05,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 20,
) -> Answer:
    """The training loss ends at that of the best constant guess, whatever is predicted."""
    both = against_chance(run, points)
    if both is None:
        return CANNOT_TELL
    loss, chance = both
    if abs(chance - loss.end) >= share * chance + 2 * loss.end_noise:
        return None
    says = f"the training loss ends at {loss.text(loss.end)}, the best constant guess at {number(chance)}"
    return Finding(1.0, says, (loss.evidence(loss.since(0.9), loss.end, chance * (1 - share)),))
