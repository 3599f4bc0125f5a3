"""Where validation data comes from."""

from traindx.causes.train_val_leakage import validation_rows_seen
from traindx.interview.complaints import OTHER, OVERFITTING
from traindx.interview.questions.types import Choice, Question
from traindx.signs.data import validation_inputs_differ

VALIDATION_SPLIT = Question(
    slug="split",
    asks="How does the validation data differ from the training data?",
    look="Compare mean and deviation of a batch of each, as the model gets them; look for rows that"
    " stand in both.",
    complaints=(OVERFITTING, OTHER),
    choices=(
        Choice(
            "same",
            "not at all: a random part of the same data, prepared alike",
            unseen=(validation_inputs_differ, validation_rows_seen),
        ),
        Choice(
            "other",
            "it comes from elsewhere, from later, or is prepared in another way",
            seen=(validation_inputs_differ,),
            unseen=(validation_rows_seen,),
            fault=True,
        ),
        Choice(
            "overlap",
            "the same rows, people or copies stand in both",
            seen=(validation_rows_seen,),
            unseen=(validation_inputs_differ,),
            fault=True,
        ),
    ),
    known=0.85,
)
