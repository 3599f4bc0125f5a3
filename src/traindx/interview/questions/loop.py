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
    asks="Which of these is true of your training loop?",
    look="Read the code from the loss to optimizer.step(), and the DataLoader arguments.",
    complaints=(LOSS_UNSTABLE, GRADIENTS_EXPLODE, LOSS_SLOW, LOSS_STUCK),
    choices=(
        Choice(
            "clean",
            "gradients are cleared every step, the loss is a mean, the data is shuffled",
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
            "zero_grad() is missing or never called",
            seen=(gradients_carried_over,),
            fault=True,
        ),
        Choice(
            "undivided",
            "gradient accumulation without dividing the loss",
            seen=(accumulation_undivided,),
            unseen=(gradients_carried_over,),
            fault=True,
        ),
        Choice(
            "unshuffled",
            "the data is sorted or not shuffled",
            seen=(batches_sorted,),
            unseen=(gradients_carried_over,),
            fault=True,
        ),
        Choice(
            "summed",
            "the loss is summed over samples",
            seen=(loss_summed,),
            unseen=(gradients_carried_over,),
            fault=True,
        ),
        Choice(
            "negated",
            "the loss is negated to maximize something",
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
    look="Count the epochs, and check whether the loss still fell at the end.",
    complaints=(LOSS_SLOW,),
    choices=(
        Choice("short", "a few epochs, loss still falling", seen=(loss_still_falling, few_epochs)),
        Choice(
            "few-steps",
            "a few dozen steps in total, because batches are huge",
            seen=(few_steps_in_all, few_updates_per_epoch, loss_still_falling),
            fault=True,
        ),
        Choice(
            "long",
            "long enough: many epochs, or as long as is typical for the task",
            unseen=(few_epochs, few_steps_in_all),
        ),
    ),
    first=(LOSS_SLOW,),
    known=0.95,
)

STEP_TIME = Question(
    slug="waiting",
    asks="What does a step spend its time on?",
    look="Watch GPU and CPU utilization, or time next(iter(loader)) and the rest of a step.",
    complaints=(TRAINING_SLOW,),
    choices=(
        Choice(
            "loader",
            "waiting for data: low GPU utilization, busy CPU or disk",
            seen=(data_wait_dominates,),
        ),
        Choice("device", "computing: the data is there in time", unseen=(data_wait_dominates,)),
        Choice(
            "gaps",
            "the GPU has many short gaps, although the data is there",
            seen=(many_item_calls,),
            unseen=(data_wait_dominates,),
        ),
    ),
    first=(TRAINING_SLOW,),
    known=0.75,
)

HOST_READS = Question(
    slug="reads",
    asks="How many GPU syncs does a step have?",
    look="Count item(), tolist(), cpu(), numpy() and print(loss) inside the loop.",
    complaints=(TRAINING_SLOW,),
    choices=(
        Choice("few", "one or two, or only every few steps", unseen=(many_item_calls,)),
        Choice(
            "many",
            "many in every step, such as one per sample or layer",
            seen=(many_item_calls,),
            fault=True,
        ),
    ),
    known=0.9,
)

MEMORY = Question(
    slug="memory",
    asks="How does memory use change during the run?",
    look="Compare it after 100 and after 1,000 steps.",
    complaints=(TRAINING_SLOW, OTHER),
    choices=(
        Choice("steady", "constant", unseen=(memory_grows,)),
        Choice("grows", "grows steadily", seen=(memory_grows,), fault=True),
    ),
    known=0.9,
)
