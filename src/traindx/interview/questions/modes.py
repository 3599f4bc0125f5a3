"""Whether modes are switched."""

from traindx.causes.dropout_misuse import dropout_in_validation
from traindx.interview.complaints import OTHER, OVERFITTING
from traindx.interview.questions.types import Choice, Question
from traindx.signs.loop import trained_in_eval_mode, validated_in_train_mode

MODEL_MODES = Question(
    slug="modes",
    asks="Is the model switched between train() and eval()?",
    look="Look for model.eval() before validation and model.train() after it.",
    complaints=(OVERFITTING, OTHER),
    choices=(
        Choice(
            "switched",
            "yes: eval() to validate, train() to go on",
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
            "after the first validation it trains on in eval mode",
            seen=(trained_in_eval_mode,),
            unseen=(validated_in_train_mode,),
            fault=True,
        ),
    ),
    known=0.85,
)
