"""What the rate does over the run."""

from traindx.causes.lr_decay_needed import rate_constant
from traindx.causes.missing_warmup import warmup_absent
from traindx.interview.complaints import LOSS_NAN, LOSS_SLOW, LOSS_STUCK, LOSS_UNSTABLE
from traindx.interview.questions.types import Choice, Question
from traindx.signs.lr import rate_decayed_early

LR_SCHEDULE = Question(
    slug="schedule",
    asks="What does the learning rate do over the run?",
    look="Look for a scheduler in the script, and whether its step() is called as often as it expects.",
    complaints=(LOSS_STUCK, LOSS_SLOW, LOSS_UNSTABLE, LOSS_NAN),
    choices=(
        Choice(
            "constant",
            "it stays the same from the first step to the last",
            seen=(rate_constant, warmup_absent),
            unseen=(rate_decayed_early,),
        ),
        Choice(
            "decay",
            "it begins at its peak and is lowered later",
            seen=(warmup_absent,),
            unseen=(rate_constant, rate_decayed_early),
        ),
        Choice(
            "full",
            "it warms up first and is lowered later",
            unseen=(warmup_absent, rate_constant, rate_decayed_early),
        ),
        Choice(
            "warmup",
            "it warms up and then stays",
            seen=(rate_constant,),
            unseen=(warmup_absent, rate_decayed_early),
        ),
        Choice(
            "early",
            "it is next to nothing long before the end",
            seen=(rate_decayed_early,),
            unseen=(rate_constant,),
        ),
    ),
)
