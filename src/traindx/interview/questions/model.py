"""Questions about the model: architecture, initialization, activations, precision."""

from traindx.causes.attention_logit_growth import attention_scores_grow
from traindx.interview import complaints as c
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
from traindx.signs.nonfinite import fp16_overflow, loss_scale_collapses, precision_is_half, steps_overflow
from traindx.signs.weights import weights_start_equal, weights_start_far_off, weights_start_tiny

ARCHITECTURE = Question(
    slug="architecture",
    asks="What kind of model is it?",
    look="Depth is the number of stacked layers; normalization is BatchNorm, LayerNorm or similar.",
    complaints=(c.LOSS_UNSTABLE, c.LOSS_NAN, c.GRADIENTS_EXPLODE, c.GRADIENTS_VANISH, c.LOSS_STUCK),
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
            "normalized",
            "deep, with normalization or skip connections, such as a ResNet",
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
            "10 or more layers without normalization or skip connections",
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
    asks="How are the weights initialized?",
    look="Search the script for nn.init, fill_, normal_ and zeros.",
    complaints=(c.LOSS_STUCK, c.GRADIENTS_EXPLODE, c.GRADIENTS_VANISH, c.LOSS_NAN),
    choices=(
        Choice(
            "default",
            "library default, He or Xavier",
            unseen=(weights_start_far_off, weights_start_equal, weights_start_tiny),
        ),
        Choice(
            "wide",
            "custom, with a std of about 1",
            seen=(weights_start_far_off,),
            unseen=(weights_start_equal, weights_start_tiny),
            fault=True,
        ),
        Choice(
            "tiny",
            "custom, very small",
            seen=(weights_start_tiny,),
            unseen=(weights_start_far_off,),
            fault=True,
        ),
        Choice(
            "equal",
            "custom, all zero or all equal",
            seen=(weights_start_equal,),
            unseen=(weights_start_far_off,),
            fault=True,
        ),
    ),
    known=0.9,
)

ACTIVATION = Question(
    slug="activation",
    asks="Which activation function is between the layers?",
    look="Check forward() too: a module that is created but never called does not count.",
    complaints=(c.LOSS_STUCK, c.LOSS_SLOW, c.GRADIENTS_EXPLODE, c.GRADIENTS_VANISH),
    choices=(
        Choice(
            "relu",
            "ReLU, GELU, SiLU or similar",
            unseen=(sigmoids_stacked, nonlinearity_missing, units_saturate),
        ),
        Choice(
            "sigmoid",
            "sigmoid or tanh in every layer",
            seen=(sigmoids_stacked,),
            unseen=(nonlinearity_missing, dead_units_many),
            fault=True,
        ),
        Choice(
            "none",
            "none (stacked linear layers)",
            seen=(nonlinearity_missing,),
            unseen=(sigmoids_stacked, dead_units_many),
            fault=True,
        ),
    ),
    known=0.95,
)

HIDDEN_UNITS = Question(
    slug="units",
    asks="What do the activations of hidden layers look like?",
    look="Count the units that are 0 for every input over many batches, or run traindx examine activations.",
    complaints=(c.LOSS_STUCK, c.GRADIENTS_VANISH),
    choices=(
        Choice("alive", "they differ from input to input", unseen=(dead_units_many, units_saturate)),
        Choice(
            "dead",
            "most units of some layer are always 0",
            seen=(dead_units_many,),
            unseen=(units_saturate,),
            fault=True,
        ),
        Choice(
            "saturated",
            "most are saturated (sigmoid or tanh)",
            seen=(units_saturate,),
            unseen=(dead_units_many,),
            fault=True,
        ),
    ),
    known=0.35,
)

PRECISION = Question(
    slug="precision",
    asks="Which precision does training use?",
    look="Search the script or config for autocast, half(), GradScaler, fp16 or bf16.",
    complaints=(c.LOSS_NAN, c.LOSS_UNSTABLE),
    choices=(
        Choice(
            "float32",
            "float32 or bfloat16",
            unseen=(precision_is_half, fp16_overflow, loss_scale_collapses, steps_overflow),
        ),
        Choice("float16", "float16, with or without loss scaling", seen=(precision_is_half,)),
    ),
    known=0.95,
)
