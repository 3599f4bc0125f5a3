"""What the numbers do that they should not."""

from traindx.causes import (
    class_imbalance,
    degenerate_labels,
    dropout_misuse,
    misleading_metric,
    train_val_leakage,
)
from traindx.causes.class_imbalance import one_class_predicted
from traindx.causes.loss_sign_or_reduction import loss_falls_without_floor
from traindx.interview.complaints import OTHER
from traindx.interview.questions.types import Choice, Question
from traindx.signs.data import labels_faulty
from traindx.signs.validation import validation_below_train

ODDITY = Question(
    slug="oddity",
    asks="What is odd?",
    look="Take the one that comes closest.",
    complaints=(OTHER,),
    choices=(
        Choice(
            "perfect",
            "the scores are too good, or good at once",
            unseen=(one_class_predicted, labels_faulty),
            speaks=(
                (train_val_leakage.CAUSE, +3.0),
                (degenerate_labels.CAUSE, +2.0),
                (misleading_metric.CAUSE, +1.0),
            ),
        ),
        Choice(
            "one-answer",
            "the model always gives the same answer",
            seen=(one_class_predicted,),
            unseen=(labels_faulty, loss_falls_without_floor),
            speaks=((class_imbalance.CAUSE, +1.5),),
        ),
        Choice(
            "frozen-metric",
            "the loss falls, and the accuracy stays where it was",
            unseen=(labels_faulty,),
            speaks=((misleading_metric.CAUSE, +3.5), (class_imbalance.CAUSE, +1.0)),
        ),
        Choice(
            "below-zero",
            "the loss goes below zero and on",
            seen=(loss_falls_without_floor,),
            unseen=(labels_faulty,),
        ),
        Choice(
            "val-better",
            "validation is better than training",
            seen=(validation_below_train,),
            unseen=(labels_faulty,),
            speaks=((dropout_misuse.CAUSE, +1.0), (train_val_leakage.CAUSE, +1.0)),
        ),
        Choice(
            "crash",
            "it stops with an index error, a device-side assert, or a class out of range",
            seen=(labels_faulty,),
            unseen=(one_class_predicted,),
        ),
    ),
    first=(OTHER,),
)
