"""What kind of model it is."""

from traindx.causes.attention_logit_growth import attention_scores_grow
from traindx.interview.complaints import (
    GRADIENTS_EXPLODE,
    GRADIENTS_VANISH,
    LOSS_NAN,
    LOSS_STUCK,
    LOSS_UNSTABLE,
)
from traindx.interview.questions.types import Choice, Question
from traindx.signs.activations import model_is_deep_and_plain, model_is_recurrent, recurrent_without_gates

ARCHITECTURE = Question(
    slug="architecture",
    asks="What kind of model is it?",
    look="Depth counts the layers one after the other; normalisation is BatchNorm, LayerNorm and the like.",
    complaints=(LOSS_UNSTABLE, LOSS_NAN, GRADIENTS_EXPLODE, GRADIENTS_VANISH, LOSS_STUCK),
    choices=(
        Choice(
            "shallow",
            "a few layers",
            unseen=(
                model_is_deep_and_plain,
                model_is_recurrent,
                recurrent_without_gates,
                attention_scores_grow,
            ),
        ),
        Choice(
            "normalised",
            "deep, with normalisation or skip connections, such as a ResNet",
            unseen=(
                model_is_deep_and_plain,
                model_is_recurrent,
                recurrent_without_gates,
                attention_scores_grow,
            ),
        ),
        Choice(
            "transformer",
            "a transformer",
            unseen=(model_is_deep_and_plain, model_is_recurrent, recurrent_without_gates),
        ),
        Choice(
            "deep",
            "ten layers or more, without normalisation and skip connections",
            seen=(model_is_deep_and_plain,),
            unseen=(recurrent_without_gates,),
        ),
        Choice(
            "recurrent",
            "recurrent with gates (LSTM, GRU)",
            seen=(model_is_recurrent,),
            unseen=(recurrent_without_gates,),
        ),
        Choice(
            "recurrent-plain",
            "recurrent without gates (nn.RNN)",
            seen=(model_is_recurrent, recurrent_without_gates),
        ),
    ),
)
