"""What enters the loss function."""

from traindx.complaints import GRADIENTS_VANISH, LOSS_SLOW, LOSS_STUCK, OTHER
from traindx.question import Choice, Question
from traindx.signs.output_bounded_target_not import output_bounded_target_not
from traindx.signs.output_rectified import output_rectified
from traindx.signs.raw_scores_for_probabilities import raw_scores_for_probabilities
from traindx.signs.sigmoid_with_categorical import sigmoid_with_categorical
from traindx.signs.squashed_twice import squashed_twice

QUESTION = Question(
    slug="output",
    asks="What does the model end with, and what does the loss function expect?",
    look="CrossEntropyLoss and BCEWithLogitsLoss take raw scores, NLLLoss takes log_softmax, BCELoss"
    " takes a sigmoid, MSELoss takes numbers.",
    complaints=(LOSS_STUCK, LOSS_SLOW, GRADIENTS_VANISH, OTHER),
    choices=(
        Choice("fits", "what the loss function expects", unseen=(squashed_twice, output_bounded_target_not, output_rectified, raw_scores_for_probabilities, sigmoid_with_categorical)),
        Choice("squashed", "a softmax or sigmoid before a loss that has its own", seen=(squashed_twice,), unseen=(raw_scores_for_probabilities,), fault=True),
        Choice("bounded", "a sigmoid or tanh, and the targets go beyond it", seen=(output_bounded_target_not,), unseen=(squashed_twice,), fault=True),
        Choice("rectified", "a ReLU, and targets may be negative", seen=(output_rectified,), unseen=(squashed_twice,), fault=True),
        Choice("raw", "raw scores into a loss that takes probabilities", seen=(raw_scores_for_probabilities,), unseen=(squashed_twice,), fault=True),
    ),
    known=0.85,
)
