"""The training loss beside what the best constant guess loses."""

from traindx.curves.curve import Curve, curve_of, whole
from traindx.curves.objective import several_terms
from traindx.curves.stated import stated_number
from traindx.facts import CHANCE_LOSS
from traindx.quantities import TRAIN_LOSS
from traindx.run import Run


def against_chance(run: Run, points: int) -> tuple[Curve, float] | None:
    """The loss and the loss of the best constant guess; None where they cannot be held together."""
    loss, chance = curve_of(whole(run, TRAIN_LOSS)), stated_number(run, CHANCE_LOSS)
    # A loss of several terms is not what the guess was reckoned for.
    if chance is None or chance <= 0 or len(loss) < points or several_terms(run):
        return None
    return loss, chance
