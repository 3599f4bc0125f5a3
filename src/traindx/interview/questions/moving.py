"""Whether the weights move."""

from traindx.interview.complaints import GRADIENTS_VANISH, LOSS_STUCK
from traindx.interview.questions.types import Choice, Question
from traindx.signs.gradients import gradient_never_arrives
from traindx.signs.weights import optimizer_holds_strangers, parameters_frozen, parameters_unoptimized

WEIGHT_UPDATES = Question(
    slug="moving",
    asks="Do all the weights that should learn change within ten steps?",
    look="Copy the parameters, take ten steps, compare; print requires_grad and grad of those that stayed.",
    complaints=(LOSS_STUCK, GRADIENTS_VANISH),
    choices=(
        Choice(
            "all",
            "all of them change",
            unseen=(
                parameters_frozen,
                parameters_unoptimized,
                optimizer_holds_strangers,
                gradient_never_arrives,
            ),
        ),
        Choice(
            "frozen",
            "some stay, and their requires_grad is off",
            seen=(parameters_frozen,),
            unseen=(parameters_unoptimized, optimizer_holds_strangers, gradient_never_arrives),
            fault=True,
        ),
        Choice(
            "outside",
            "some stay though they have gradients: the optimizer does not hold them",
            seen=(parameters_unoptimized,),
            unseen=(parameters_frozen, gradient_never_arrives),
            fault=True,
        ),
        Choice(
            "no-gradient",
            "some stay, and their grad is None or zero",
            seen=(gradient_never_arrives,),
            unseen=(parameters_frozen, parameters_unoptimized),
            fault=True,
        ),
    ),
    known=0.6,
)
