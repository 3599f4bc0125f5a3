"""A loss worth no more than guessing."""

import math
from typing import Annotated

from traindx.curves.curve import Curve
from traindx.curves.objective import chance_loss, objective, several_terms
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.format import number
from traindx.quantities import TRAIN_LOSS, VAL_LOSS
from traindx.run import Run


@sign(needs=((TRAIN_LOSS, VAL_LOSS),), severity=Severity.SERIOUS)
def loss_at_chance(
    run: Run,
    *,
    near: Annotated[float, "distance from ln C over ln C; bench/thresholds.md#chance"] = 0.03,
    most_classes: Annotated[int, "classes guessed from the loss; bench/thresholds.md#chance"] = 20,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 6,
) -> Answer:
    """The loss ends where guessing evenly among the classes would put it."""
    loss = objective(run)
    if (
        loss is None
        or len(loss) < points
        or loss.quantity not in (TRAIN_LOSS, VAL_LOSS)
        or several_terms(run)
    ):
        return CANNOT_TELL
    known = chance_loss(run)
    classes = round(math.exp(known)) if known else _guessed(loss, most_classes)
    if classes is None:
        return None if loss.start - loss.end > 3 * near * loss.size else CANNOT_TELL
    chance = math.log(classes)
    # It must stand there: a loss on its way down passes every level once.
    moving = abs(loss.level_at(0.6) - loss.end) > max(near * chance, 3 * loss.end_noise)
    if moving or abs(loss.end - chance) > near * chance:
        return None
    says = f"the {loss.called} ends at {number(loss.end)}; guessing among {classes} classes"
    says += f" gives {number(chance)}"
    strength = 1.0 if known else 0.7
    return Finding(strength, says, (loss.evidence(loss.since(0.9), loss.end, chance * (1 - near)),))


def _guessed(loss: Curve, most: int, within: float = 0.005) -> int | None:
    """The number of classes whose ln a flat loss sits on, where the log states none."""
    moved = abs(loss.start - loss.end) > 0.02 * loss.size
    if moved or not 0.6 < loss.end < math.log(most) * 1.01:
        return None
    classes = round(math.exp(loss.end))
    return classes if classes >= 2 and abs(loss.end / math.log(classes) - 1) < within else None
