"""How long it trained."""

from traindx.causes.too_few_epochs import few_passes
from traindx.interview.complaints import LOSS_SLOW
from traindx.interview.questions.types import Choice, Question
from traindx.signs.loop import few_steps_in_all, few_updates_per_epoch
from traindx.signs.loss import loss_still_falling

TRAINING_LENGTH = Question(
    slug="length",
    asks="How long did it train?",
    look="Count passes over the data, and look whether the last tenth of the run still gained something.",
    complaints=(LOSS_SLOW,),
    choices=(
        Choice(
            "short", "a few epochs, and the loss was still falling", seen=(loss_still_falling, few_passes)
        ),
        Choice(
            "few-steps",
            "a few dozen steps in all, because a batch holds much of the data",
            seen=(few_steps_in_all, few_updates_per_epoch, loss_still_falling),
            fault=True,
        ),
        Choice(
            "long",
            "long: many epochs, or as long as others take for such a task",
            unseen=(few_passes, few_steps_in_all),
        ),
    ),
    first=(LOSS_SLOW,),
    known=0.95,
)
