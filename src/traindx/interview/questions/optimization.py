"""Questions about gradients, weight updates, the optimizer and its learning rate."""

from collections.abc import Mapping

from traindx.causes.lr_decay_needed import lr_constant
from traindx.causes.missing_warmup import warmup_absent
from traindx.curves.series import peak_and_usual
from traindx.facts import LEARNING_RATE, MOMENTUM, OPTIMIZER, WEIGHT_DECAY
from traindx.interview import complaints as c
from traindx.interview.questions.types import Choice, Field, Plausible, Question, between, by_signs, with_rate
from traindx.run import Fact, Run, Scalar
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
from traindx.signs.optimizer import (
    decay_strong,
    dropout_extreme,
    l2_inside_adam,
    momentum_extreme,
    optimizer_ill_fitting,
)
from traindx.signs.weights import (
    optimizer_has_stale_parameters,
    parameters_frozen,
    parameters_unoptimized,
    weights_shrink,
)

GRADIENT_NORM = Question(
    slug="gradients",
    asks="How does the gradient norm behave?",
    look="Print torch.nn.utils.clip_grad_norm_(parameters, float('inf')); 0.1 to 10 is typical, its change"
    " matters more.",
    complaints=c.NOT_TRAINING,
    choices=(
        Choice(
            "steady",
            "stable",
            unseen=(
                gradient_norm_grows,
                gradient_norm_vanishes,
                gradient_spikes_before_loss,
                gradient_fades_over_depth,
            ),
        ),
        Choice(
            "tiny",
            "near zero in all layers",
            seen=(gradient_norm_vanishes,),
            unseen=(gradient_norm_grows, gradient_spikes_before_loss),
        ),
        Choice(
            "fading",
            "1,000x or more smaller in the first layers than in the last",
            seen=(gradient_fades_over_depth,),
            unseen=(gradient_norm_grows,),
        ),
        Choice(
            "growing",
            "keeps growing",
            seen=(gradient_norm_grows,),
            unseen=(gradient_norm_vanishes, gradient_fades_over_depth),
        ),
        Choice(
            "spiking",
            "spikes right before the loss does",
            seen=(gradient_spikes_before_loss,),
            unseen=(gradient_norm_vanishes, gradient_fades_over_depth),
        ),
    ),
    known=0.5,
)

GRADIENT_CLIPPING = Question(
    slug="clipping",
    asks="Are gradients clipped, and how often?",
    look="clip_grad_norm_ returns the norm before clipping: compare it with the limit over 100 steps.",
    complaints=(c.LOSS_SLOW, c.LOSS_STUCK),
    choices=(
        Choice("none", "not clipped", unseen=(most_steps_clipped,)),
        Choice("rare", "clipped now and then", unseen=(most_steps_clipped,)),
        Choice(
            "always",
            "nearly every step is clipped to a small fraction",
            seen=(most_steps_clipped,),
            fault=True,
        ),
    ),
    known=0.8,
)

WEIGHT_UPDATES = Question(
    slug="moving",
    asks="Do all trainable weights change within 10 steps?",
    look="Copy the parameters, take 10 steps, compare; print requires_grad and grad of unchanged ones.",
    complaints=(c.LOSS_STUCK, c.GRADIENTS_VANISH),
    choices=(
        Choice(
            "all",
            "all change",
            unseen=(
                parameters_frozen,
                parameters_unoptimized,
                optimizer_has_stale_parameters,
                gradient_never_arrives,
            ),
        ),
        Choice(
            "frozen",
            "some do not, and have requires_grad=False",
            seen=(parameters_frozen,),
            unseen=(parameters_unoptimized, optimizer_has_stale_parameters, gradient_never_arrives),
            fault=True,
        ),
        Choice(
            "outside",
            "some do not, although they have gradients: they are not in the optimizer",
            seen=(parameters_unoptimized,),
            unseen=(parameters_frozen, gradient_never_arrives),
            fault=True,
        ),
        Choice(
            "no-gradient",
            "some do not, and their grad is None or zero",
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

_FAR_ABOVE, _FAR_BELOW = 10.0, 100.0
"""Times the typical learning rates of an optimizer: fine-tuning is far below those of training."""
_ANY_RATE = Plausible(1e-7, 0.5)
_SPELLED = {"adamw": "AdamW", "nadam": "NAdam", "radam": "RAdam", "rmsprop": "RMSprop", "sgd": "SGD"}
"""Optimizers that are not spelled as other names are."""


def _plausible_rate(facts: Mapping[Fact, Scalar]) -> Plausible:
    """Learning rates far around the typical ones of the optimizer, or of any."""
    rates = peak_and_usual(with_rate(Run("answers", (), facts=facts)))
    if rates is None:
        return _ANY_RATE
    _, low, high = rates
    kind = str(facts[OPTIMIZER])
    return Plausible(low / _FAR_BELOW, high * _FAR_ABOVE, _SPELLED.get(kind, kind.capitalize()))


OPTIMIZER_SETUP = Question(
    slug="setup",
    asks="Optimizer and learning rate?",
    look="Type both, such as adam 3e-4 (the peak if scheduled), or Enter to skip. Add momentum 0.9 or"
    " weight_decay 0.01 if set.",
    complaints=c.NOT_TRAINING,
    fields=(
        Field(OPTIMIZER, ("optimizer", "optimiser"), words=tuple(_OPTIMIZERS.split())),
        Field(LEARNING_RATE, ("lr", "learning_rate", "learning-rate"), most=1e6, plausible=_plausible_rate),
        Field(MOMENTUM, ("momentum",), most=1.0, needed=False, plausible=between(0, 0.999)),
        Field(
            WEIGHT_DECAY,
            ("weight_decay", "weight-decay", "wd", "decay"),
            most=1e6,
            needed=False,
            plausible=between(0, 10),
        ),
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
    asks="How does the learning rate change during the run?",
    look="Search the script for a scheduler, and check that its step() is called as often as it expects.",
    complaints=(c.LOSS_STUCK, c.LOSS_SLOW, c.LOSS_UNSTABLE, c.LOSS_NAN),
    choices=(
        Choice("constant", "constant", seen=(lr_constant, warmup_absent), unseen=(lr_decayed_early,)),
        Choice(
            "decay",
            "starts at its peak, decays later",
            seen=(warmup_absent,),
            unseen=(lr_constant, lr_decayed_early),
        ),
        Choice("full", "warms up, then decays", unseen=(warmup_absent, lr_constant, lr_decayed_early)),
        Choice(
            "warmup", "warms up, then constant", seen=(lr_constant,), unseen=(warmup_absent, lr_decayed_early)
        ),
        Choice("early", "near zero long before the end", seen=(lr_decayed_early,), unseen=(lr_constant,)),
    ),
)

REGULARIZATION = Question(
    slug="regularization",
    formerly="regularisation",
    asks="How strongly is the model regularized?",
    look="Search the script for dropout, weight_decay, label_smoothing and augmentation.",
    complaints=(c.LOSS_STUCK, c.LOSS_SLOW, c.OVERFITTING),
    choices=(
        Choice("none", "not at all", unseen=(dropout_extreme, decay_strong, weights_shrink)),
        Choice(
            "typical",
            "typically: dropout up to 0.5, weight decay up to 0.1 with AdamW, mild augmentation",
            unseen=(dropout_extreme, decay_strong),
            formerly="usual",
        ),
        Choice("dropout", "dropout of 0.7 or more", seen=(dropout_extreme,), fault=True),
        Choice(
            "decay",
            "weight decay of 0.1 or more with SGD, or 1 or more with AdamW",
            seen=(decay_strong, weights_shrink),
            fault=True,
        ),
        Choice(
            "augmentation",
            "augmentation so strong that a person would not recognize the samples",
            seen=(training_inputs_wider,),
            fault=True,
        ),
    ),
    known=0.9,
)
