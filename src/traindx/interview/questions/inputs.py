"""The scale of inputs and targets."""

from traindx.interview.complaints import (
    GRADIENTS_EXPLODE,
    GRADIENTS_VANISH,
    LOSS_NAN,
    LOSS_SLOW,
    LOSS_STUCK,
    LOSS_UNSTABLE,
)
from traindx.interview.questions.types import Choice, Question
from traindx.signs.data import input_outliers_seen, inputs_unscaled
from traindx.signs.targets import targets_unscaled

INPUT_SCALE = Question(
    slug="inputs",
    asks="What do the numbers look like that enter the model, and those it is to predict?",
    look="Print mean, standard deviation, least and largest value of one batch, by feature, and of its"
    " targets.",
    complaints=(LOSS_STUCK, LOSS_SLOW, LOSS_UNSTABLE, LOSS_NAN, GRADIENTS_EXPLODE, GRADIENTS_VANISH),
    choices=(
        Choice(
            "scaled",
            "both near zero mean and unit size, or tokens and classes",
            unseen=(inputs_unscaled, input_outliers_seen, targets_unscaled),
        ),
        Choice(
            "raw",
            "inputs as they were measured: 0 to 255, or features of very different sizes",
            seen=(inputs_unscaled,),
            unseen=(input_outliers_seen,),
            fault=True,
        ),
        Choice(
            "targets",
            "inputs are scaled, and the targets are large numbers, or far from zero",
            seen=(targets_unscaled,),
            unseen=(inputs_unscaled,),
            fault=True,
        ),
        Choice(
            "outliers",
            "scaled, with a few values far outside",
            seen=(input_outliers_seen,),
            unseen=(inputs_unscaled,),
            fault=True,
        ),
    ),
    known=0.85,
)
