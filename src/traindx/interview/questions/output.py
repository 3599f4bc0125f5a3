"""What enters the loss function."""

from traindx.causes.wrong_output_activation import (
    output_bounded_target_not,
    raw_scores_for_probabilities,
    sigmoid_with_categorical,
)
from traindx.interview.complaints import GRADIENTS_VANISH, LOSS_SLOW, LOSS_STUCK, OTHER
from traindx.interview.questions.types import Choice, Question
from traindx.signs.targets import (
    classes_fed_to_number_loss,
    output_rectified,
    shapes_broadcast,
    squashed_twice,
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
                squashed_twice,
                output_bounded_target_not,
                output_rectified,
                raw_scores_for_probabilities,
                sigmoid_with_categorical,
                shapes_broadcast,
                classes_fed_to_number_loss,
            ),
        ),
        Choice(
            "squashed",
            "a softmax or sigmoid, and the loss has its own",
            seen=(squashed_twice,),
            unseen=(raw_scores_for_probabilities, shapes_broadcast),
            fault=True,
        ),
        Choice(
            "bounded",
            "a sigmoid or tanh, and the targets go beyond it",
            seen=(output_bounded_target_not,),
            unseen=(squashed_twice, shapes_broadcast),
            fault=True,
        ),
        Choice(
            "rectified",
            "a ReLU, and targets may be negative",
            seen=(output_rectified,),
            unseen=(squashed_twice, shapes_broadcast),
            fault=True,
        ),
        Choice(
            "raw",
            "raw scores, and the loss takes probabilities",
            seen=(raw_scores_for_probabilities,),
            unseen=(squashed_twice, shapes_broadcast),
            fault=True,
        ),
        Choice(
            "shapes",
            "other shapes than the target has, such as (N, 1) and (N,)",
            seen=(shapes_broadcast,),
            unseen=(squashed_twice,),
            fault=True,
        ),
        Choice(
            "classes",
            "numbers of classes, and the loss measures distances (MSELoss)",
            seen=(classes_fed_to_number_loss,),
            unseen=(shapes_broadcast,),
            fault=True,
        ),
    ),
    known=0.85,
)
