"""Questions about the training loop: what it does, how long it runs, where time and memory go."""

from traindx.causes.data_loading_bottleneck import data_wait_dominates
from traindx.causes.host_device_sync import many_item_calls
from traindx.causes.memory_leak import memory_grows
from traindx.causes.too_few_epochs import few_epochs
from traindx.interview.complaints import (
    GRADIENTS_EXPLODE,
    LOSS_SLOW,
    LOSS_STUCK,
    LOSS_UNSTABLE,
    OTHER,
    TRAINING_SLOW,
)
from traindx.interview.questions.types import Choice, Question
from traindx.signs.data import batches_sorted
from traindx.signs.loop import (
    accumulation_undivided,
    few_steps_in_all,
    few_updates_per_epoch,
    gradients_carried_over,
)
from traindx.signs.loss import loss_still_falling
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

TRAINING_LENGTH = Question(
    slug="length",
    asks="How long did it train?",
    look="Count passes over the data, and look whether the last tenth of the run still gained something.",
    complaints=(LOSS_SLOW,),
    choices=(
        Choice(
            "short", "a few epochs, and the loss was still falling", seen=(loss_still_falling, few_epochs)
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
            unseen=(few_epochs, few_steps_in_all),
        ),
    ),
    first=(LOSS_SLOW,),
    known=0.95,
)

STEP_TIME = Question(
    slug="waiting",
    asks="Where does the time of a step go?",
    look="Watch the use of the GPU and of the cores, or time next(iter(loader)) against the rest of a step.",
    complaints=(TRAINING_SLOW,),
    choices=(
        Choice(
            "loader",
            "the device waits for data: its use is low, the cores are busy or the disk is",
            seen=(data_wait_dominates,),
        ),
        Choice(
            "device", "into the step itself, and the data is there in time", unseen=(data_wait_dominates,)
        ),
        Choice(
            "gaps",
            "the device has short gaps all the time, though the data is there",
            seen=(many_item_calls,),
            unseen=(data_wait_dominates,),
        ),
    ),
    first=(TRAINING_SLOW,),
    known=0.75,
)

HOST_READS = Question(
    slug="reads",
    asks="How many values does a step take out of tensors?",
    look="Count item(), tolist(), cpu(), numpy() and print(loss) inside the loop.",
    complaints=(TRAINING_SLOW,),
    choices=(
        Choice("few", "one or two, or only every so many steps", unseen=(many_item_calls,)),
        Choice(
            "many",
            "many in every step, such as one for every sample or layer",
            seen=(many_item_calls,),
            fault=True,
        ),
    ),
    known=0.9,
)

MEMORY = Question(
    slug="memory",
    asks="What does the memory in use do over the run?",
    look="Look at it after 100 and after 1,000 steps.",
    complaints=(TRAINING_SLOW, OTHER),
    choices=(
        Choice("steady", "it keeps its size", unseen=(memory_grows,)),
        Choice("grows", "it grows steadily", seen=(memory_grows,), fault=True),
    ),
    known=0.9,
)
