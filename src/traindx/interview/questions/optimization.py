"""Questions about gradients, weight updates, the optimizer and its learning rate."""

from traindx.causes.lr_decay_needed import lr_constant
from traindx.causes.missing_warmup import warmup_absent
from traindx.facts import LEARNING_RATE, MOMENTUM, OPTIMIZER, WEIGHT_DECAY
from traindx.interview.complaints import (
    GRADIENTS_EXPLODE,
    GRADIENTS_VANISH,
    LOSS_NAN,
    LOSS_SLOW,
    LOSS_STUCK,
    LOSS_UNSTABLE,
    OVERFITTING,
)
from traindx.interview.questions.types import Choice, Field, Question, by_signs
from traindx.signs.generalization import training_inputs_wider
from traindx.signs.gradients import (
    gradient_fades_over_depth,
    gradient_never_arrives,
    gradient_norm_grows,
    gradient_norm_vanishes,
    gradient_spikes_before_loss,
    most_steps_clipped,
)
from traindx.signs.lr import lr_above_typical, lr_below_typical, lr_decayed_early
from traindx.signs.optimizer import dropout_extreme, l2_inside_adam, momentum_extreme, optimizer_ill_fitting
from traindx.signs.weights import (
    decay_strong,
    optimizer_has_stale_parameters,
    parameters_frozen,
    parameters_unoptimized,
    weights_shrink,
)

GRADIENT_NORM = Question(
    slug="gradients",
    asks="What does the gradient norm do?",
    look="Print what torch.nn.utils.clip_grad_norm_(parameters, float('inf')) gives; 0.1 to 10 is"
    " common, what counts is how it changes.",
    complaints=(LOSS_STUCK, LOSS_SLOW, LOSS_UNSTABLE, LOSS_NAN, GRADIENTS_EXPLODE, GRADIENTS_VANISH),
    choices=(
        Choice(
            "steady",
            "it keeps its size",
            unseen=(
                gradient_norm_grows,
                gradient_norm_vanishes,
                gradient_spikes_before_loss,
                gradient_fades_over_depth,
            ),
        ),
        Choice(
            "tiny",
            "it is next to nothing in all layers",
            seen=(gradient_norm_vanishes,),
            unseen=(gradient_norm_grows, gradient_spikes_before_loss),
        ),
        Choice(
            "fading",
            "it is thousands of times smaller in the first layers than in the last",
            seen=(gradient_fades_over_depth,),
            unseen=(gradient_norm_grows,),
        ),
        Choice(
            "growing",
            "it grows more and more",
            seen=(gradient_norm_grows,),
            unseen=(gradient_norm_vanishes, gradient_fades_over_depth),
        ),
        Choice(
            "spiking",
            "it jumps now and then, just before the loss does",
            seen=(gradient_spikes_before_loss,),
            unseen=(gradient_norm_vanishes, gradient_fades_over_depth),
        ),
    ),
    known=0.5,
)

GRADIENT_CLIPPING = Question(
    slug="clipping",
    asks="Are gradients clipped, and how often does it engage?",
    look="clip_grad_norm_ gives the norm before clipping: compare it with the limit over 100 steps.",
    complaints=(LOSS_SLOW, LOSS_STUCK),
    choices=(
        Choice("none", "they are not clipped", unseen=(most_steps_clipped,)),
        Choice("rare", "they are, and it engages now and then", unseen=(most_steps_clipped,)),
        Choice(
            "always",
            "they are, and nearly every step is cut to a small part",
            seen=(most_steps_clipped,),
            fault=True,
        ),
    ),
    known=0.8,
)

WEIGHT_UPDATES = Question(
    slug="moving",
    asks="Do all the weights that should learn change within ten steps?",
    look="Copy the parameters, take ten steps, compare; print requires_grad and grad of those that stayed.",
    complaints=(LOSS_STUCK, GRADIENTS_VANISH),
    choices=(
        Choice(
            "all",
            "all of them change",
            unseen=(
                parameters_frozen,
                parameters_unoptimized,
                optimizer_has_stale_parameters,
                gradient_never_arrives,
            ),
        ),
        Choice(
            "frozen",
            "some stay, and their requires_grad is off",
            seen=(parameters_frozen,),
            unseen=(parameters_unoptimized, optimizer_has_stale_parameters, gradient_never_arrives),
            fault=True,
        ),
        Choice(
            "outside",
            "some stay though they have gradients: the optimizer does not hold them",
            seen=(parameters_unoptimized,),
            unseen=(parameters_frozen, gradient_never_arrives),
            fault=True,
        ),
        Choice(
            "no-gradient",
            "some stay, and their grad is None or zero",
            seen=(gradient_never_arrives,),
            unseen=(parameters_frozen, parameters_unoptimized),
            fault=True,
        ),
    ),
    known=0.6,
)

_OPTIMIZERS = (
    "adam adamw sgd rmsprop adagrad adadelta adamax nadam radam lamb lion lbfgs rprop adafactor muon other"
)

OPTIMIZER_SETUP = Question(
    slug="setup",
    asks="Which optimizer, and at which learning rate?",
    look="Name and peak rate, such as adam 3e-4; where set, momentum 0.9 and weight_decay 0.01 behind it.",
    complaints=(LOSS_STUCK, LOSS_SLOW, LOSS_UNSTABLE, LOSS_NAN, GRADIENTS_EXPLODE, GRADIENTS_VANISH),
    fields=(
        Field(OPTIMIZER, ("optimizer", "optimiser"), words=tuple(_OPTIMIZERS.split())),
        Field(LEARNING_RATE, ("lr", "learning_rate", "learning-rate"), most=1e6),
        Field(MOMENTUM, ("momentum",), most=1.0, needed=False),
        Field(WEIGHT_DECAY, ("weight_decay", "weight-decay", "wd", "decay"), most=1e6, needed=False),
    ),
    judge=by_signs(
        lr_above_typical, lr_below_typical, momentum_extreme, l2_inside_adam, optimizer_ill_fitting
    ),
    examples=(
        ("adam 3e-4", 1.0),
        ("sgd 0.1 momentum 0.9", 1.0),
        ("adam 0.1", 0.4),
        ("adam 1e-6", 0.4),
        ("sgd 0.1 momentum 0.99", 0.1),
        ("adam 1e-3 weight_decay 0.1", 0.1),
    ),
)

LR_SCHEDULE = Question(
    slug="schedule",
    asks="What does the learning rate do over the run?",
    look="Look for a scheduler in the script, and whether its step() is called as often as it expects.",
    complaints=(LOSS_STUCK, LOSS_SLOW, LOSS_UNSTABLE, LOSS_NAN),
    choices=(
        Choice(
            "constant",
            "it stays the same from the first step to the last",
            seen=(lr_constant, warmup_absent),
            unseen=(lr_decayed_early,),
        ),
        Choice(
            "decay",
            "it begins at its peak and is lowered later",
            seen=(warmup_absent,),
            unseen=(lr_constant, lr_decayed_early),
        ),
        Choice(
            "full",
            "it warms up first and is lowered later",
            unseen=(warmup_absent, lr_constant, lr_decayed_early),
        ),
        Choice(
            "warmup",
            "it warms up and then stays",
            seen=(lr_constant,),
            unseen=(warmup_absent, lr_decayed_early),
        ),
        Choice(
            "early",
            "it is next to nothing long before the end",
            seen=(lr_decayed_early,),
            unseen=(lr_constant,),
        ),
    ),
)

REGULARIZATION = Question(
    slug="regularisation",
    asks="How strongly is the model regularised?",
    look="Look for dropout, weight_decay, label_smoothing and augmentation.",
    complaints=(LOSS_STUCK, LOSS_SLOW, OVERFITTING),
    choices=(
        Choice("none", "not at all", unseen=(dropout_extreme, decay_strong, weights_shrink)),
        Choice(
            "usual",
            "as is usual: dropout up to 0.5, decay up to 0.1 with AdamW, mild augmentation",
            unseen=(dropout_extreme, decay_strong),
        ),
        Choice("dropout", "dropout of 0.7 or more", seen=(dropout_extreme,), fault=True),
        Choice(
            "decay",
            "weight decay of 0.1 or more with SGD, or of 1 or more with AdamW",
            seen=(decay_strong, weights_shrink),
            fault=True,
        ),
        Choice(
            "augmentation",
            "augmentation so heavy that a person would not recognise the samples",
            seen=(training_inputs_wider,),
            fault=True,
        ),
    ),
    known=0.9,
)
