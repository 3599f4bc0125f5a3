"""Where the loss stands against guessing."""

from traindx.causes.labels_misaligned import nothing_learned
from traindx.interview.complaints import GRADIENTS_VANISH, LOSS_STUCK
from traindx.interview.questions.types import Choice, Question
from traindx.signs.chance import little_learned, loss_at_chance
from traindx.signs.loss import loss_converged, loss_plateaus

LOSS_LEVEL = Question(
    slug="level",
    asks="Where does the training loss stand now, held against guessing?",
    look="Guessing costs the logarithm of the number of classes (0.69 for 2, 2.30 for 10, 4.61 for 100),"
    " or the variance of the targets.",
    complaints=(LOSS_STUCK, GRADIENTS_VANISH),
    choices=(
        Choice(
            "guessing",
            "at about what guessing costs",
            seen=(loss_at_chance, nothing_learned, little_learned),
            unseen=(loss_converged,),
        ),
        Choice(
            "learned",
            "clearly below guessing, but not as low as it should be",
            unseen=(loss_at_chance, nothing_learned, little_learned, loss_converged),
        ),
        Choice(
            "floor",
            "about as low as the task allows",
            seen=(loss_converged,),
            unseen=(loss_at_chance, nothing_learned, little_learned, loss_plateaus),
        ),
    ),
    first=(LOSS_STUCK,),
    known=0.9,
)
