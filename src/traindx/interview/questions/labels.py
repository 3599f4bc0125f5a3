"""Whether labels belong to their inputs."""

from traindx.causes import label_noise, labels_misaligned
from traindx.interview.complaints import LOSS_STUCK, OTHER, OVERFITTING
from traindx.interview.questions.types import Choice, Question
from traindx.signs.data import labels_faulty
from traindx.signs.generalization import confidently_wrong, validation_learns_nothing

LABELS = Question(
    slug="labels",
    asks="Did you look at some samples with their labels, and do they fit?",
    look="Show 20 samples as the model gets them, each with its label; count labels below 0 and from the"
    " number of outputs on.",
    complaints=(LOSS_STUCK, OVERFITTING, OTHER),
    choices=(
        Choice(
            "right",
            "yes, and they fit",
            unseen=(labels_faulty, confidently_wrong),
            speaks=((labels_misaligned.CAUSE, -2.5), (label_noise.CAUSE, -1.0)),
        ),
        Choice(
            "some-wrong",
            "some are wrong",
            seen=(confidently_wrong,),
            unseen=(labels_faulty,),
            speaks=((label_noise.CAUSE, +2.0),),
            fault=True,
        ),
        Choice(
            "mixed-up",
            "most belong to other samples",
            seen=(validation_learns_nothing,),
            unseen=(labels_faulty,),
            speaks=((labels_misaligned.CAUSE, +4.0),),
            fault=True,
        ),
        Choice(
            "out-of-range",
            "some are negative, or as large as the number of outputs",
            seen=(labels_faulty,),
            fault=True,
        ),
    ),
    known=0.6,
)
