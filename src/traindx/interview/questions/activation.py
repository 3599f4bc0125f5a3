"""What bends between the layers."""

from traindx.interview.complaints import GRADIENTS_EXPLODE, GRADIENTS_VANISH, LOSS_SLOW, LOSS_STUCK
from traindx.interview.questions.types import Choice, Question
from traindx.signs.activations import dead_units_many, nonlinearity_missing, sigmoids_stacked, units_saturate

ACTIVATION = Question(
    slug="activation",
    asks="Which activation stands between the layers?",
    look="Look for it in forward(), too: a module that is made and never called does not count.",
    complaints=(LOSS_STUCK, LOSS_SLOW, GRADIENTS_EXPLODE, GRADIENTS_VANISH),
    choices=(
        Choice(
            "relu",
            "ReLU, GELU, SiLU or the like",
            unseen=(sigmoids_stacked, nonlinearity_missing, units_saturate),
        ),
        Choice(
            "sigmoid",
            "sigmoid or tanh, layer upon layer",
            seen=(sigmoids_stacked,),
            unseen=(nonlinearity_missing, dead_units_many),
            fault=True,
        ),
        Choice(
            "none",
            "none: linear layers in a row",
            seen=(nonlinearity_missing,),
            unseen=(sigmoids_stacked, dead_units_many),
            fault=True,
        ),
    ),
    known=0.95,
)
