"""Questions about the model: architecture, initialization, activations, precision."""

from traindx.causes.attention_logit_growth import attention_scores_grow
from traindx.interview.complaints import (
    GRADIENTS_EXPLODE,
    GRADIENTS_VANISH,
    LOSS_NAN,
    LOSS_SLOW,
    LOSS_STUCK,
    LOSS_UNSTABLE,
)
from traindx.interview.questions.types import Choice, Question
from traindx.signs.activations import (
    dead_units_many,
    model_is_deep_and_plain,
    model_is_recurrent,
    nonlinearity_missing,
    recurrent_without_gates,
    sigmoids_stacked,
    units_saturate,
)
from traindx.signs.nonfinite import (
    fp16_overflow,
    loss_scale_collapses,
    precision_is_half,
    steps_overflow,
)
from traindx.signs.weights import weights_start_equal, weights_start_far_off, weights_start_tiny

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

INITIALIZATION = Question(
    slug="init",
    asks="How are the weights drawn at the start?",
    look="Look for nn.init, fill_, normal_ and zeros in the script.",
    complaints=(LOSS_STUCK, GRADIENTS_EXPLODE, GRADIENTS_VANISH, LOSS_NAN),
    choices=(
        Choice(
            "default",
            "as the library does, or He or Xavier",
            unseen=(weights_start_far_off, weights_start_equal, weights_start_tiny),
        ),
        Choice(
            "wide",
            "by hand, with a deviation of 1 or so",
            seen=(weights_start_far_off,),
            unseen=(weights_start_equal, weights_start_tiny),
            fault=True,
        ),
        Choice(
            "tiny",
            "by hand, very small",
            seen=(weights_start_tiny,),
            unseen=(weights_start_far_off,),
            fault=True,
        ),
        Choice(
            "equal",
            "by hand, all zero or all equal",
            seen=(weights_start_equal,),
            unseen=(weights_start_far_off,),
            fault=True,
        ),
    ),
    known=0.9,
)

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

HIDDEN_UNITS = Question(
    slug="units",
    asks="Have you looked at the outputs of hidden layers?",
    look="Count over many batches the units that are 0 for every input, or traindx examine activations.",
    complaints=(LOSS_STUCK, GRADIENTS_VANISH),
    choices=(
        Choice("alive", "yes, they differ from input to input", unseen=(dead_units_many, units_saturate)),
        Choice(
            "dead",
            "yes, most units of some layer are 0 whatever comes in",
            seen=(dead_units_many,),
            unseen=(units_saturate,),
            fault=True,
        ),
        Choice(
            "saturated",
            "yes, most lie at the flat ends of a sigmoid or tanh",
            seen=(units_saturate,),
            unseen=(dead_units_many,),
            fault=True,
        ),
    ),
    known=0.35,
)

PRECISION = Question(
    slug="precision",
    asks="Which numbers does it compute with?",
    look="Look for autocast, half(), GradScaler, fp16 or bf16 in the script or its configuration.",
    complaints=(LOSS_NAN, LOSS_UNSTABLE),
    choices=(
        Choice(
            "float32",
            "float32 or bfloat16",
            unseen=(precision_is_half, fp16_overflow, loss_scale_collapses, steps_overflow),
        ),
        Choice("float16", "float16, with or without a loss scale", seen=(precision_is_half,)),
    ),
    known=0.95,
)
