"""Whose loss function it is."""

from traindx.interview.complaints import LOSS_NAN
from traindx.interview.questions.types import Choice, Question
from traindx.signs.nonfinite import nonfinite_from_loss

LOSS_FUNCTION = Question(
    slug="loss-function",
    asks="Where does the loss function come from?",
    look="Look for log, sqrt, pow, exp and divisions in it, and what they do at 0.",
    complaints=(LOSS_NAN,),
    choices=(
        Choice("library", "from a library, applied as it says", unseen=(nonfinite_from_loss,)),
        Choice(
            "own", "written by hand, with a log, a division, a root or exp()", seen=(nonfinite_from_loss,)
        ),
    ),
    known=0.95,
)
