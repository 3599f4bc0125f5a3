"""Whether prediction and target have one shape."""

from traindx.complaints import LOSS_STUCK, OTHER
from traindx.question import Choice, Question
from traindx.signs.shapes_broadcast import shapes_broadcast

QUESTION = Question(
    slug="shapes",
    asks="Have prediction and target the same shape where the loss is computed?",
    look="Print both shapes in front of the loss function: (N, 1) and (N,) become (N, N) in MSELoss.",
    complaints=(LOSS_STUCK, OTHER),
    choices=(
        Choice("equal", "yes, or the target holds class numbers", unseen=(shapes_broadcast,)),
        Choice("differ", "no, as (N, 1) and (N,)", seen=(shapes_broadcast,), fault=True),
    ),
    known=0.8,
)
