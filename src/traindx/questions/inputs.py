"""The scale of the inputs."""

from traindx.complaints import GRADIENTS_EXPLODE, GRADIENTS_VANISH, LOSS_NAN, LOSS_SLOW, LOSS_STUCK, LOSS_UNSTABLE
from traindx.question import Choice, Question
from traindx.signs.input_outliers_seen import input_outliers_seen
from traindx.signs.inputs_unscaled import inputs_unscaled

QUESTION = Question(
    slug="inputs",
    asks="What do the numbers look like that enter the model?",
    look="Print mean, standard deviation, least and largest value of one batch, by feature.",
    complaints=(LOSS_STUCK, LOSS_SLOW, LOSS_UNSTABLE, LOSS_NAN, GRADIENTS_EXPLODE, GRADIENTS_VANISH),
    choices=(
        Choice("scaled", "near zero mean and unit size, or tokens", unseen=(inputs_unscaled, input_outliers_seen)),
        Choice("raw", "as they were measured: 0 to 255, or features of very different sizes", seen=(inputs_unscaled,), unseen=(input_outliers_seen,), fault=True),
        Choice("outliers", "scaled, with a few values far outside", seen=(input_outliers_seen,), unseen=(inputs_unscaled,), fault=True),
    ),
    known=0.85,
)
