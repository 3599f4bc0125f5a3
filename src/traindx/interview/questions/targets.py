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

CLASS_BALANCE = Question(
    slug="balance",
    asks="How often does each class occur?",
    look="Count the labels; regressions have no classes.",
    complaints=(OTHER, OVERFITTING, LOSS_STUCK),
    choices=(
        Choice(
            "even",
            "about equally often, or there are no classes",
            unseen=(classes_unbalanced, rare_class_ignored),
        ),
        Choice(
            "rare", "one is ten times rarer than another, or more", seen=(classes_unbalanced,), fault=True
        ),
    ),
    known=0.9,
)

LOSS_INPUT = Question(
    slug="output",
    asks="What enters the loss function, and what does it expect?",
    look="CrossEntropyLoss and BCEWithLogitsLoss take raw scores, NLLLoss log_softmax, BCELoss a"
    " sigmoid, MSELoss two equal shapes.",
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
            "squashed",
            "a softmax or sigmoid, and the loss has its own",
            seen=(activation_before_logits_loss,),
            unseen=(logits_where_probabilities_expected, shapes_broadcast),
            # It names the fault itself, and not only how it shows.
            speaks=((wrong_output_activation.CAUSE, +1.0),),
            fault=True,
        ),
        Choice(
            "bounded",
            "a sigmoid or tanh, and the targets go beyond it",
            seen=(output_bounded_target_not,),
            unseen=(activation_before_logits_loss, shapes_broadcast),
            fault=True,
        ),
        Choice(
            "rectified",
            "a ReLU, and targets may be negative",
            seen=(output_rectified,),
            unseen=(activation_before_logits_loss, shapes_broadcast),
            fault=True,
        ),
        Choice(
            "raw",
            "raw scores, and the loss takes probabilities",
            seen=(logits_where_probabilities_expected,),
            unseen=(activation_before_logits_loss, shapes_broadcast),
            fault=True,
        ),
        Choice(
            "shapes",
            "other shapes than the target has, such as (N, 1) and (N,)",
            seen=(shapes_broadcast,),
            unseen=(activation_before_logits_loss,),
            fault=True,
        ),
        Choice(
            "classes",
            "numbers of classes, and the loss measures distances (MSELoss)",
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
    look="Look for log, sqrt, pow, exp and divisions in it, and what they do at 0.",
    complaints=(LOSS_NAN,),
    choices=(
        Choice("library", "from a library, applied as it says", unseen=(nonfinite_from_loss,)),
        Choice(
            "own", "written by hand, with a log, a division, a root or exp()", seen=(nonfinite_from_loss,)
        ),
    ),
    known=0.95,
)
