"""What is to be predicted."""

from traindx.complaints import GRADIENTS_EXPLODE, LOSS_NAN, LOSS_SLOW, LOSS_STUCK
from traindx.question import Choice, Question
from traindx.signs.targets_unscaled import targets_unscaled

QUESTION = Question(
    slug="targets",
    asks="What is to be predicted?",
    look="Print mean and standard deviation of the targets of one batch.",
    complaints=(LOSS_SLOW, LOSS_STUCK, LOSS_NAN, GRADIENTS_EXPLODE),
    choices=(
        Choice("classes", "classes or tokens", unseen=(targets_unscaled,)),
        Choice("scaled", "numbers near zero mean and unit size", unseen=(targets_unscaled,)),
        Choice("raw", "numbers that are large, or far from zero", seen=(targets_unscaled,), fault=True),
    ),
    known=0.95,
)
