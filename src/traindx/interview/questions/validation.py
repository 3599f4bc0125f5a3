"""Questions about validation."""

from traindx.causes.dropout_misuse import dropout_in_validation
from traindx.causes.train_val_leakage import validation_rows_seen
from traindx.interview.complaints import LOSS_STUCK, OTHER, OVERFITTING
from traindx.interview.questions.types import Choice, Question
from traindx.signs.data import validation_inputs_differ
from traindx.signs.generalization import both_losses_high
from traindx.signs.loop import trained_in_eval_mode, validated_in_train_mode
from traindx.signs.validation import (
    validation_below_train,
    validation_gap_wide,
    validation_improves,
    validation_never_improves,
    validation_noisy,
    validation_turns_up,
)

VALIDATION_LOSS = Question(
    slug="validation",
    asks="How does validation loss compare with training loss?",
    look="Compare both at the best validation loss and at the end.",
    complaints=(OVERFITTING, LOSS_STUCK),
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
    first=(OVERFITTING,),
    known=0.9,
)

VALIDATION_SPLIT = Question(
    slug="split",
    asks="How does the validation data differ from the training data?",
    look="Compare mean and std of a batch of each, as the model gets them; look for rows that occur in both.",
    complaints=(OVERFITTING, OTHER),
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
    complaints=(OVERFITTING, OTHER),
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
