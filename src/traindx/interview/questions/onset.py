"""When the loss stopped being a number."""

from traindx.interview.complaints import LOSS_NAN
from traindx.interview.questions.types import Choice, Question
from traindx.signs.nonfinite import fails_in_first_steps, fails_without_warning, loss_climbs_before_failure

NAN_ONSET = Question(
    slug="onset",
    asks="When did the loss become NaN or infinite?",
    look="Print the losses of the last steps before, one by one.",
    complaints=(LOSS_NAN,),
    choices=(
        Choice(
            "first-steps",
            "within the first steps",
            seen=(fails_in_first_steps,),
            unseen=(loss_climbs_before_failure,),
        ),
        Choice(
            "after-climb",
            "later, after loss or gradients had climbed",
            seen=(loss_climbs_before_failure,),
            unseen=(fails_without_warning, fails_in_first_steps),
        ),
        Choice(
            "sudden",
            "later, from one step to the next",
            seen=(fails_without_warning,),
            unseen=(loss_climbs_before_failure, fails_in_first_steps),
        ),
    ),
    first=(LOSS_NAN,),
)
