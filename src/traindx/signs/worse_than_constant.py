"""A model that does worse than a constant."""

from typing import Annotated

from traindx.curves.against_chance import against_chance
from traindx.curves.inside import graded
from traindx.facts import CHANCE_LOSS
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.format import number
from traindx.quantities import TRAIN_LOSS
from traindx.run import Run


@sign(needs=(CHANCE_LOSS, TRAIN_LOSS), severity=Severity.SERIOUS)
def worse_than_constant(
    run: Run,
    *,
    ratio: Annotated[float, "end over the best constant guess; bench/thresholds.md#learned"] = 1.15,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 20,
) -> Answer:
    """The training loss ends above that of the best constant guess."""
    both = against_chance(run, points)
    if both is None:
        return CANNOT_TELL
    loss, chance = both
    if loss.end < ratio * chance + 3 * loss.end_noise:
        return None
    says = f"the training loss ends at {loss.text(loss.end)}; the best constant guess loses {number(chance)}"
    strength = graded(loss.end / chance, ratio, 3 * ratio, least=0.5)
    return Finding(strength, says, (loss.evidence(loss.since(0.9), loss.end, ratio * chance),))
