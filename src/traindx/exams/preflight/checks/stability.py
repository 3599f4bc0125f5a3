"""Whether the first steps go somewhere."""

from traindx.curves.curve import whole
from traindx.exams.preflight.check import by_signs
from traindx.exams.preflight.types import Check, Part, Rehearsal
from traindx.format import count, number
from traindx.quantities import TRAIN_LOSS
from traindx.signs.fails_in_first_steps import fails_in_first_steps
from traindx.signs.gradient_not_finite import gradient_not_finite
from traindx.signs.leaps_on_small_steps import leaps_on_small_steps
from traindx.signs.loss_diverges import loss_diverges
from traindx.signs.loss_leaps_above_start import loss_leaps_above_start
from traindx.signs.loss_not_finite import loss_not_finite
from traindx.signs.loss_scale_collapses import loss_scale_collapses
from traindx.signs.nonfinite_from_half import nonfinite_from_half
from traindx.signs.nonfinite_from_layers import nonfinite_from_layers
from traindx.signs.nonfinite_from_loss import nonfinite_from_loss
from traindx.signs.steps_overflow import steps_overflow


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
