"""Questions about the training loop, its time and memory, and about validation data and metrics."""

from traindx.causes.data_loading_bottleneck import data_wait_dominates
from traindx.causes.dropout_misuse import dropout_in_validation
from traindx.causes.host_device_sync import many_item_calls
from traindx.causes.memory_leak import memory_grows
from traindx.causes.too_few_epochs import few_epochs
from traindx.causes.train_val_leakage import validation_rows_seen
from traindx.interview import complaints as c
from traindx.interview.questions.types import Choice, Question
from traindx.signs.data import batches_sorted, validation_inputs_differ
from traindx.signs.generalization import both_losses_high
from traindx.signs.generalization_gap import validation_gap_wide
from traindx.signs.loop import (
    accumulation_undivided,
    few_steps_in_all,
    few_updates_per_epoch,
    gradients_carried_over,
    trained_in_eval_mode,
    validated_in_train_mode,
)
from traindx.signs.loss import loss_still_falling
from traindx.signs.targets import loss_negated, loss_summed
from traindx.signs.validation import (
    validation_below_train,
    validation_improves,
    validation_never_improves,
    validation_noisy,
    validation_turns_up,
)

LOOP = Question(
    slug="loop",
    asks="Which of these is true of your training loop?",
    look="Read the code from the loss to optimizer.step(), and the DataLoader arguments.",
    complaints=(c.LOSS_UNSTABLE, c.GRADIENTS_EXPLODE, c.LOSS_SLOW, c.LOSS_STUCK),
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
    complaints=(c.LOSS_SLOW,),
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
    first=(c.LOSS_SLOW,),
    known=0.95,
)

STEP_TIME = Question(
    slug="waiting",
    asks="What does a step spend its time on?",
    look="Watch GPU and CPU utilization, or time next(iter(loader)) and the rest of a step.",
    complaints=(c.TRAINING_SLOW,),
    choices=(
        Choice(
            "loader", "waiting for data: low GPU utilization, busy CPU or disk", seen=(data_wait_dominates,)
        ),
        Choice("device", "computing: the data is there in time", unseen=(data_wait_dominates,)),
        Choice(
            "gaps",
            "the GPU has many short gaps, although the data is there",
            seen=(many_item_calls,),
            unseen=(data_wait_dominates,),
        ),
    ),
    first=(c.TRAINING_SLOW,),
    known=0.75,
)

HOST_READS = Question(
    slug="reads",
    asks="How many GPU syncs does a step have?",
    look="Count item(), tolist(), cpu(), numpy() and print(loss) inside the loop.",
    complaints=(c.TRAINING_SLOW,),
    choices=(
        Choice("few", "one or two, or only every few steps", unseen=(many_item_calls,)),
        Choice(
            "many", "many in every step, such as one per sample or layer", seen=(many_item_calls,), fault=True
        ),
    ),
    known=0.9,
)

MEMORY = Question(
    slug="memory",
    asks="How does memory use change during the run?",
    look="Compare it after 100 and after 1,000 steps.",
    complaints=(c.TRAINING_SLOW, c.OTHER),
    choices=(
        Choice("steady", "constant", unseen=(memory_grows,)),
        Choice("grows", "grows steadily", seen=(memory_grows,), fault=True),
    ),
    known=0.9,
)


VALIDATION_LOSS = Question(
    slug="validation",
    asks="How does validation loss compare with training loss?",
    look="Compare both at the best validation loss and at the end.",
    complaints=(c.OVERFITTING, c.LOSS_STUCK),
    choices=(
        Choice(
            "turns-up",
            "falls, then rises while training loss keeps falling",
            seen=(validation_turns_up, validation_gap_wide),
            unseen=(validation_improves, validation_never_improves, both_losses_high),
        ),
        Choice(
            "never",
            "never gets better than at the start",
            seen=(validation_never_improves, validation_gap_wide),
            unseen=(validation_improves, validation_turns_up, both_losses_high),
        ),
        Choice(
            "noisy",
            "noisy, often far above training",
            seen=(validation_noisy, validation_gap_wide),
            unseen=(validation_turns_up, both_losses_high),
        ),
        Choice(
            "gap",
            "falls too, but stays far above training",
            seen=(validation_gap_wide, validation_improves),
            unseen=(validation_turns_up, validation_never_improves, both_losses_high),
        ),
        Choice(
            "follows",
            "follows training closely",
            seen=(validation_improves,),
            unseen=(validation_gap_wide, validation_turns_up, both_losses_high),
        ),
        Choice(
            "both-high",
            "both are high and close together",
            seen=(both_losses_high,),
            unseen=(validation_gap_wide, validation_turns_up),
        ),
        Choice(
            "below",
            "below the training loss",
            seen=(validation_below_train,),
            unseen=(validation_gap_wide, validation_turns_up),
        ),
    ),
    first=(c.OVERFITTING,),
    known=0.9,
)

VALIDATION_SPLIT = Question(
    slug="split",
    asks="How does the validation data differ from the training data?",
    look="Compare mean and std of a batch of each, as the model gets them; look for rows that occur in both.",
    complaints=(c.OVERFITTING, c.OTHER),
    choices=(
        Choice(
            "same",
            "not at all: a random split with the same preprocessing",
            unseen=(validation_inputs_differ, validation_rows_seen),
        ),
        Choice(
            "other",
            "another source, a later time or different preprocessing",
            seen=(validation_inputs_differ,),
            unseen=(validation_rows_seen,),
            fault=True,
        ),
        Choice(
            "overlap",
            "the same rows, people or copies are in both",
            seen=(validation_rows_seen,),
            unseen=(validation_inputs_differ,),
            fault=True,
        ),
    ),
    known=0.85,
)

MODEL_MODES = Question(
    slug="modes",
    asks="Is the model switched between train() and eval()?",
    look="Search for model.eval() before validation and model.train() after it.",
    complaints=(c.OVERFITTING, c.OTHER),
    choices=(
        Choice(
            "switched",
            "yes: eval() for validation, then train()",
            unseen=(validated_in_train_mode, trained_in_eval_mode, dropout_in_validation),
        ),
        Choice(
            "validated-in-train",
            "no, it is validated in train mode",
            seen=(validated_in_train_mode,),
            unseen=(trained_in_eval_mode,),
            fault=True,
        ),
        Choice(
            "trained-in-eval",
            "no, it keeps training in eval mode after the first validation",
            seen=(trained_in_eval_mode,),
            unseen=(validated_in_train_mode,),
            fault=True,
        ),
    ),
    known=0.85,
)
