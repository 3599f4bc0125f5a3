"""A network that is surely wrong before it has learned anything."""

from typing import Annotated

from traindx.curves.curve import curve_of, whole
from traindx.curves.objective import chance_loss
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.format import number
from traindx.quantities import TRAIN_ACCURACY, TRAIN_LOSS, VAL_ACCURACY
from traindx.run import Axis, Run


@sign(needs=(TRAIN_LOSS,), severity=Severity.WARNING)
def loss_starts_above_chance(
    run: Run,
    *,
    ratio: Annotated[float, "first loss over ln C; bench/thresholds.md#start"] = 2.0,
) -> Answer:
    """The first training loss lies far above guessing."""
    chance, loss = chance_loss(run), curve_of(whole(run, TRAIN_LOSS))
    if chance is None or not len(loss) or loss.axis is Axis.EPOCH:
        return CANNOT_TELL
    first = float(loss.values[0])
    if first <= ratio * chance:
        return None
    says = f"the first loss is {number(first)}, {first / chance:.1f} times what guessing gives"
    says += f" ({number(chance)})"
    where = (float(loss.steps[0]), float(loss.steps[0]))
    # A loss of several terms may lie above ln C from the start; with an accuracy it is one of classes.
    counted = TRAIN_ACCURACY in run or VAL_ACCURACY in run
    sure = 1.0 if counted or first > 30 * chance else 0.5
    strength = sure * min(1.0, 0.25 + first / (8 * ratio * chance))
    return Finding(strength, says, (loss.evidence(where, first, ratio * chance),))
