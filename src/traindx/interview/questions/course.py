"""How the loss went."""

from traindx.interview.complaints import LOSS_STUCK
from traindx.interview.questions.types import Choice, Question
from traindx.signs.loss import (
    loss_falls,
    loss_falls_slowly,
    loss_flat_from_start,
    loss_plateaus,
    loss_still_falling,
)

LOSS_COURSE = Question(
    slug="course",
    asks="How did the training loss go from the first step on?",
    look="Look at the first and the last losses that were printed.",
    complaints=(LOSS_STUCK,),
    choices=(
        Choice(
            "flat",
            "it never left the level it began at",
            seen=(loss_flat_from_start,),
            unseen=(loss_falls, loss_plateaus, loss_falls_slowly),
        ),
        Choice(
            "fell",
            "it fell at first, then stood still",
            seen=(loss_falls, loss_plateaus),
            unseen=(loss_flat_from_start, loss_falls_slowly),
        ),
        Choice(
            "slow",
            "it falls all the time, but hardly",
            seen=(loss_falls_slowly, loss_still_falling),
            unseen=(loss_plateaus,),
        ),
    ),
    first=(LOSS_STUCK,),
)
