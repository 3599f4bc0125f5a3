"""Whether units still answer."""

from traindx.interview.complaints import GRADIENTS_VANISH, LOSS_STUCK
from traindx.interview.questions.types import Choice, Question
from traindx.signs.activations import dead_units_many, units_saturate

HIDDEN_UNITS = Question(
    slug="units",
    asks="Have you looked at the outputs of hidden layers?",
    look="Count over many batches the units that are 0 for every input, or traindx examine activations.",
    complaints=(LOSS_STUCK, GRADIENTS_VANISH),
    choices=(
        Choice("alive", "yes, they differ from input to input", unseen=(dead_units_many, units_saturate)),
        Choice(
            "dead",
            "yes, most units of some layer are 0 whatever comes in",
            seen=(dead_units_many,),
            unseen=(units_saturate,),
            fault=True,
        ),
        Choice(
            "saturated",
            "yes, most lie at the flat ends of a sigmoid or tanh",
            seen=(units_saturate,),
            unseen=(dead_units_many,),
            fault=True,
        ),
    ),
    known=0.35,
)
