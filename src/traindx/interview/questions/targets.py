"""Questions about labels, outputs and the loss function between them."""

from traindx.causes import label_noise, labels_misaligned, wrong_output_activation
from traindx.causes.class_imbalance import classes_unbalanced, rare_class_ignored
from traindx.causes.wrong_output_activation import (
    logits_where_probabilities_expected,
    output_bounded_target_not,
    sigmoid_with_categorical,
)
from traindx.interview.complaints import GRADIENTS_VANISH, LOSS_NAN, LOSS_SLOW, LOSS_STUCK, OTHER, OVERFITTING
from traindx.interview.questions.types import Choice, Question
from traindx.signs.data import labels_faulty
from traindx.signs.generalization import confidently_wrong, validation_learns_nothing
from traindx.signs.nonfinite import nonfinite_from_loss
from traindx.signs.targets import (
    activation_before_logits_loss,
    class_labels_in_regression_loss,
    output_rectified,
    shapes_broadcast,
)

LABELS = Question(
    slug="labels",
    asks="Do the labels match the samples?",
    look="Show 20 samples as the model gets them, each with its label; count labels below 0 or not below the"
    " number of outputs.",
    complaints=(LOSS_STUCK, OVERFITTING, OTHER),
    choices=(
        Choice(
            "right",
            "yes, I checked some",
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
            "some are negative, or not below the number of outputs",
            seen=(labels_faulty,),
            fault=True,
        ),
    ),
    known=0.6,
)

CLASS_BALANCE = Question(
    slug="balance",
    asks="Are the classes balanced?",
    look="Count the labels; a regression has no classes.",
    complaints=(OTHER, OVERFITTING, LOSS_STUCK),
    choices=(
        Choice(
            "even",
            "yes, or there are no classes",
            unseen=(classes_unbalanced, rare_class_ignored),
        ),
        Choice("rare", "no, one is 10x rarer than another or more", seen=(classes_unbalanced,), fault=True),
    ),
    known=0.9,
)

LOSS_INPUT = Question(
    slug="output",
    asks="What do you pass to the loss function?",
    look="CrossEntropyLoss and BCEWithLogitsLoss expect logits, NLLLoss log_softmax output, BCELoss sigmoid"
    " output, MSELoss two equal shapes.",
    complaints=(LOSS_STUCK, LOSS_SLOW, GRADIENTS_VANISH, OTHER),
    choices=(
        Choice(
            "fits",
            "what it expects, in the shape of the target",
            unseen=(
                activation_before_logits_loss,
                output_bounded_target_not,
                output_rectified,
                logits_where_probabilities_expected,
                sigmoid_with_categorical,
                shapes_broadcast,
                class_labels_in_regression_loss,
            ),
        ),
        Choice(
            "activated",
            "softmax or sigmoid output, although the loss applies its own",
            formerly="squashed",
            seen=(activation_before_logits_loss,),
            unseen=(logits_where_probabilities_expected, shapes_broadcast),
            # It names the fault itself, and not only how it shows.
            speaks=((wrong_output_activation.CAUSE, +1.0),),
            fault=True,
        ),
        Choice(
            "bounded",
            "sigmoid or tanh output, although targets are outside its range",
            seen=(output_bounded_target_not,),
            unseen=(activation_before_logits_loss, shapes_broadcast),
            fault=True,
        ),
        Choice(
            "rectified",
            "ReLU output, although targets may be negative",
            seen=(output_rectified,),
            unseen=(activation_before_logits_loss, shapes_broadcast),
            fault=True,
        ),
        Choice(
            "raw",
            "logits, although the loss expects probabilities",
            seen=(logits_where_probabilities_expected,),
            unseen=(activation_before_logits_loss, shapes_broadcast),
            fault=True,
        ),
        Choice(
            "shapes",
            "a shape other than the target, such as (N, 1) and (N,)",
            seen=(shapes_broadcast,),
            unseen=(activation_before_logits_loss,),
            fault=True,
        ),
        Choice(
            "classes",
            "class indices, with a regression loss (MSELoss)",
            seen=(class_labels_in_regression_loss,),
            unseen=(shapes_broadcast,),
            fault=True,
        ),
    ),
    known=0.85,
)

LOSS_FUNCTION = Question(
    slug="loss-function",
    asks="Where does the loss function come from?",
    look="Search it for log, sqrt, pow, exp and divisions, and check them at 0.",
    complaints=(LOSS_NAN,),
    choices=(
        Choice("library", "a library, used as documented", unseen=(nonfinite_from_loss,)),
        Choice("own", "my own code, with log, sqrt, exp or a division", seen=(nonfinite_from_loss,)),
    ),
    known=0.95,
)
