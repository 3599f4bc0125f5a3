"""Whether the first steps go somewhere."""

from traindx.curves.series import whole
from traindx.exams.preflight.check import by_signs
from traindx.exams.preflight.types import Check, Part, Rehearsal
from traindx.format import count, number
from traindx.quantities import TRAIN_LOSS
from traindx.signs.loss import loss_diverges, loss_leaps_above_start
from traindx.signs.nonfinite import (
    fails_in_first_steps,
    gradient_not_finite,
    loss_not_finite,
    loss_scale_collapses,
    nonfinite_from_half,
    nonfinite_from_layers,
    nonfinite_from_loss,
    steps_overflow,
)
from traindx.signs.spikes import leaps_on_small_steps


def _passes(rehearsal: Rehearsal) -> str:
    loss = whole(rehearsal.run, TRAIN_LOSS).finite
    ends = f" ({number(float(loss.values[0]))} to {number(float(loss.values[-1]))})" if len(loss) else ""
    return f"the loss stays finite and does not run away in {count(rehearsal.steps, 'step')}{ends}"


CHECK = Check(
    "stability",
    "The first steps neither break nor run away",
    Part.STEPS,
    10,
    by_signs(
        nonfinite_from_loss,
        nonfinite_from_half,
        nonfinite_from_layers,
        loss_not_finite,
        gradient_not_finite,
        fails_in_first_steps,
        loss_diverges,
        leaps_on_small_steps,
        loss_leaps_above_start,
        loss_scale_collapses,
        steps_overflow,
        passes=_passes,
        unseen=lambda _: "no training loss was seen",
    ),
)
