"""What the gradient norm does."""

from traindx.interview.complaints import (
    GRADIENTS_EXPLODE,
    GRADIENTS_VANISH,
    LOSS_NAN,
    LOSS_SLOW,
    LOSS_STUCK,
    LOSS_UNSTABLE,
)
from traindx.interview.questions.types import Choice, Question
from traindx.signs.gradients import (
    gradient_fades_over_depth,
    gradient_norm_grows,
    gradient_norm_vanishes,
    gradient_spikes_before_loss,
)

GRADIENT_NORM = Question(
    slug="gradients",
    asks="What does the gradient norm do?",
    look="Print what torch.nn.utils.clip_grad_norm_(parameters, float('inf')) gives; 0.1 to 10 is"
    " common, what counts is how it changes.",
    complaints=(LOSS_STUCK, LOSS_SLOW, LOSS_UNSTABLE, LOSS_NAN, GRADIENTS_EXPLODE, GRADIENTS_VANISH),
    choices=(
        Choice(
            "steady",
            "it keeps its size",
            unseen=(
                gradient_norm_grows,
                gradient_norm_vanishes,
                gradient_spikes_before_loss,
                gradient_fades_over_depth,
            ),
        ),
        Choice(
            "tiny",
            "it is next to nothing in all layers",
            seen=(gradient_norm_vanishes,),
            unseen=(gradient_norm_grows, gradient_spikes_before_loss),
        ),
        Choice(
            "fading",
            "it is thousands of times smaller in the first layers than in the last",
            seen=(gradient_fades_over_depth,),
            unseen=(gradient_norm_grows,),
        ),
        Choice(
            "growing",
            "it grows more and more",
            seen=(gradient_norm_grows,),
            unseen=(gradient_norm_vanishes, gradient_fades_over_depth),
        ),
        Choice(
            "spiking",
            "it jumps now and then, just before the loss does",
            seen=(gradient_spikes_before_loss,),
            unseen=(gradient_norm_vanishes, gradient_fades_over_depth),
        ),
    ),
    known=0.5,
)
