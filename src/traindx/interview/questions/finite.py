"""Whether data is finite."""

from traindx.interview.complaints import LOSS_NAN
from traindx.interview.questions.types import Choice, Question
from traindx.signs.data import inputs_not_finite
from traindx.signs.targets import targets_not_finite

FINITE_DATA = Question(
    slug="finite",
    asks="Are all inputs and targets finite numbers?",
    look="assert torch.isfinite(x).all() on every batch of an epoch, or traindx examine data.",
    complaints=(LOSS_NAN,),
    choices=(
        Choice("clean", "yes, every batch was checked", unseen=(inputs_not_finite, targets_not_finite)),
        Choice("bad-inputs", "no, inputs hold NaN or infinity", seen=(inputs_not_finite,), fault=True),
        Choice("bad-targets", "no, targets hold NaN or infinity", seen=(targets_not_finite,), fault=True),
    ),
    known=0.6,
)
