"""Where the loss stands against guessing."""

from traindx.interview.complaints import GRADIENTS_VANISH, LOSS_STUCK
from traindx.interview.questions.types import Choice, Question
from traindx.signs.little_learned import little_learned
from traindx.signs.loss_at_chance import loss_at_chance
from traindx.signs.loss_converged import loss_converged
from traindx.signs.loss_plateaus import loss_plateaus
from traindx.signs.nothing_learned import nothing_learned

QUESTION = Question(
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
