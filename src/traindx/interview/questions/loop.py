"""Whether the loop does what it should."""

from traindx.interview.complaints import GRADIENTS_EXPLODE, LOSS_SLOW, LOSS_STUCK, LOSS_UNSTABLE
from traindx.interview.questions.types import Choice, Question
from traindx.signs.data import batches_sorted
from traindx.signs.loop import accumulation_undivided, gradients_carried_over
from traindx.signs.targets import loss_negated, loss_summed

LOOP = Question(
    slug="loop",
    asks="Which of these holds for the training loop?",
    look="Read the lines from the loss to optimizer.step(), and the arguments of the DataLoader.",
    complaints=(LOSS_UNSTABLE, GRADIENTS_EXPLODE, LOSS_SLOW, LOSS_STUCK),
    choices=(
        Choice(
            "clean",
            "gradients are cleared each step, the loss is a mean, the data is shuffled",
            unseen=(
                gradients_carried_over,
                accumulation_undivided,
                batches_sorted,
                loss_summed,
                loss_negated,
            ),
        ),
        Choice(
            "not-cleared",
            "zero_grad() is missing, or not reached",
            seen=(gradients_carried_over,),
            fault=True,
        ),
        Choice(
            "undivided",
            "gradients of several batches add up, and the loss is not divided by their number",
            seen=(accumulation_undivided,),
            unseen=(gradients_carried_over,),
            fault=True,
        ),
        Choice(
            "unshuffled",
            "the data comes sorted, or is not shuffled",
            seen=(batches_sorted,),
            unseen=(gradients_carried_over,),
            fault=True,
        ),
        Choice(
            "summed",
            "the loss is a sum over the samples",
            seen=(loss_summed,),
            unseen=(gradients_carried_over,),
            fault=True,
        ),
        Choice(
            "negated",
            "something is maximised by turning the sign of the loss",
            seen=(loss_negated,),
            unseen=(gradients_carried_over,),
            fault=True,
        ),
    ),
    known=0.8,
)
