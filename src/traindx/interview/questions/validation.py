"""What validation does beside training."""

from traindx.interview.complaints import LOSS_STUCK, OVERFITTING
from traindx.interview.questions.types import Choice, Question
from traindx.signs.generalization import both_losses_high
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
    asks="What does the validation loss do beside the training loss?",
    look="Compare both where validation was best and at the end.",
    complaints=(OVERFITTING, LOSS_STUCK),
    choices=(
        Choice(
            "turns-up",
            "it falls, then turns up while training goes on falling",
            seen=(validation_turns_up, validation_gap_wide),
            unseen=(validation_improves, validation_never_improves, both_losses_high),
        ),
        Choice(
            "never",
            "it never gets better than at its start",
            seen=(validation_never_improves, validation_gap_wide),
            unseen=(validation_improves, validation_turns_up, both_losses_high),
        ),
        Choice(
            "noisy",
            "it jumps about, often far above training",
            seen=(validation_noisy, validation_gap_wide),
            unseen=(validation_turns_up, both_losses_high),
        ),
        Choice(
            "gap",
            "it falls as well and stays far above training",
            seen=(validation_gap_wide, validation_improves),
            unseen=(validation_turns_up, validation_never_improves, both_losses_high),
        ),
        Choice(
            "follows",
            "it follows training closely, and is no worry",
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
            "it lies below the training loss",
            seen=(validation_below_train,),
            unseen=(validation_gap_wide, validation_turns_up),
        ),
    ),
    first=(OVERFITTING,),
    known=0.9,
)
