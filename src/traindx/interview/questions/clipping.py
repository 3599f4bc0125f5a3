"""How often gradients are clipped."""

from traindx.interview.complaints import LOSS_SLOW, LOSS_STUCK
from traindx.interview.questions.types import Choice, Question
from traindx.signs.gradients import most_steps_clipped

GRADIENT_CLIPPING = Question(
    slug="clipping",
    asks="Are gradients clipped, and how often does it engage?",
    look="clip_grad_norm_ gives the norm before clipping: compare it with the limit over 100 steps.",
    complaints=(LOSS_SLOW, LOSS_STUCK),
    choices=(
        Choice("none", "they are not clipped", unseen=(most_steps_clipped,)),
        Choice("rare", "they are, and it engages now and then", unseen=(most_steps_clipped,)),
        Choice(
            "always",
            "they are, and nearly every step is cut to a small part",
            seen=(most_steps_clipped,),
            fault=True,
        ),
    ),
    known=0.8,
)
