"""How much holds the model back."""

from traindx.interview.complaints import LOSS_SLOW, LOSS_STUCK, OVERFITTING
from traindx.interview.questions.types import Choice, Question
from traindx.signs.generalization import training_inputs_wider
from traindx.signs.optimizer import dropout_extreme
from traindx.signs.weights import decay_strong, weights_shrink

REGULARIZATION = Question(
    slug="regularisation",
    asks="How strongly is the model regularised?",
    look="Look for dropout, weight_decay, label_smoothing and augmentation.",
    complaints=(LOSS_STUCK, LOSS_SLOW, OVERFITTING),
    choices=(
        Choice("none", "not at all", unseen=(dropout_extreme, decay_strong, weights_shrink)),
        Choice(
            "usual",
            "as is usual: dropout up to 0.5, decay up to 0.1 with AdamW, mild augmentation",
            unseen=(dropout_extreme, decay_strong),
        ),
        Choice("dropout", "dropout of 0.7 or more", seen=(dropout_extreme,), fault=True),
        Choice(
            "decay",
            "weight decay of 0.1 or more with SGD, or of 1 or more with AdamW",
            seen=(decay_strong, weights_shrink),
            fault=True,
        ),
        Choice(
            "augmentation",
            "augmentation so heavy that a person would not recognise the samples",
            seen=(training_inputs_wider,),
            fault=True,
        ),
    ),
    known=0.9,
)
