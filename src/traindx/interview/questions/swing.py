"""In which way the loss is restless."""

from traindx.interview.complaints import LOSS_UNSTABLE
from traindx.interview.questions.types import Choice, Question
from traindx.signs.loss import loss_diverges, loss_falls, loss_leaps_above_start
from traindx.signs.spikes import loss_oscillates, spikes_recur

LOSS_INSTABILITY = Question(
    slug="swing",
    asks="In which way is the loss unstable?",
    look="Look at single losses, not at a smoothed curve.",
    complaints=(LOSS_UNSTABLE,),
    choices=(
        Choice(
            "swings",
            "it swings up and down all the time",
            seen=(loss_oscillates,),
            unseen=(loss_diverges, spikes_recur),
        ),
        Choice(
            "spikes",
            "it falls, with spikes that come back down",
            seen=(spikes_recur, loss_falls),
            unseen=(loss_diverges, loss_oscillates),
        ),
        Choice(
            "climbs", "it climbs and ends far above its best", seen=(loss_diverges,), unseen=(spikes_recur,)
        ),
        Choice(
            "leaps",
            "it leaps far above its start within the first steps",
            seen=(loss_leaps_above_start, loss_diverges),
        ),
    ),
    first=(LOSS_UNSTABLE,),
)
