"""Whether the loss compares the right things, the right way round."""

from traindx.causes.loss_mismatch import yes_no_loss_on_exclusive_classes
from traindx.causes.loss_sign_or_reduction import loss_falls_without_floor
from traindx.exams.preflight.check import by_signs
from traindx.exams.preflight.types import Check, Part, Rehearsal
from traindx.facts import LOSS_FUNCTION
from traindx.signs.targets import classes_fed_to_number_loss, loss_negated, shapes_broadcast


def _passes(rehearsal: Rehearsal) -> str:
    name = rehearsal.run.facts.get(LOSS_FUNCTION, "the loss")
    return f"{name} gets predictions and targets of one shape, and is minimised"


CHECK = Check(
    "loss",
    "The loss compares each prediction with its own target",
    Part.LOSS,
    30,
    by_signs(
        shapes_broadcast,
        classes_fed_to_number_loss,
        yes_no_loss_on_exclusive_classes,
        loss_negated,
        loss_falls_without_floor,
        passes=_passes,
        unseen=lambda _: "the program calls no loss function of torch or Keras",
        needs=LOSS_FUNCTION,
    ),
)
