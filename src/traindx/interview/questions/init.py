"""How the weights begin."""

from traindx.interview.complaints import GRADIENTS_EXPLODE, GRADIENTS_VANISH, LOSS_NAN, LOSS_STUCK
from traindx.interview.questions.types import Choice, Question
from traindx.signs.weights import weights_start_equal, weights_start_far_off, weights_start_tiny

INITIALIZATION = Question(
    slug="init",
    asks="How are the weights drawn at the start?",
    look="Look for nn.init, fill_, normal_ and zeros in the script.",
    complaints=(LOSS_STUCK, GRADIENTS_EXPLODE, GRADIENTS_VANISH, LOSS_NAN),
    choices=(
        Choice(
            "default",
            "as the library does, or He or Xavier",
            unseen=(weights_start_far_off, weights_start_equal, weights_start_tiny),
        ),
        Choice(
            "wide",
            "by hand, with a deviation of 1 or so",
            seen=(weights_start_far_off,),
            unseen=(weights_start_equal, weights_start_tiny),
            fault=True,
        ),
        Choice(
            "tiny",
            "by hand, very small",
            seen=(weights_start_tiny,),
            unseen=(weights_start_far_off,),
            fault=True,
        ),
        Choice(
            "equal",
            "by hand, all zero or all equal",
            seen=(weights_start_equal,),
            unseen=(weights_start_far_off,),
            fault=True,
        ),
    ),
    known=0.9,
)
