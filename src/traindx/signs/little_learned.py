"""A run that knows little more than the frequencies of its classes."""

from typing import Annotated

from traindx.curves.against_chance import against_chance
from traindx.facts import CHANCE_LOSS
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.format import number
from traindx.quantities import TRAIN_LOSS
from traindx.run import Run


@sign(needs=(CHANCE_LOSS, TRAIN_LOSS), severity=Severity.WARNING)
def little_learned(
    run: Run,
    *,
    share: Annotated[float, "of what the best constant guess loses; bench/thresholds.md#learned"] = 0.4,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 20,
) -> Answer:
    """The training loss ends not far below that of the best constant guess."""
    both = against_chance(run, points)
    if both is None:
        return CANNOT_TELL
    loss, chance = both
    learned = (chance - loss.end) / chance
    if learned >= share:
        return None
    says = f"the training loss ends at {loss.text(loss.end)}; the best constant guess loses {number(chance)}"
    strength = min(1.0, max(0.2, (share - learned) / share))
    return Finding(strength, says, (loss.evidence(loss.since(0.9), loss.end, chance),))
