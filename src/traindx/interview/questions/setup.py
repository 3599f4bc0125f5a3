"""Optimizer and rate."""

from traindx.facts import LEARNING_RATE, MOMENTUM, OPTIMIZER, WEIGHT_DECAY
from traindx.interview.complaints import (
    GRADIENTS_EXPLODE,
    GRADIENTS_VANISH,
    LOSS_NAN,
    LOSS_SLOW,
    LOSS_STUCK,
    LOSS_UNSTABLE,
)
from traindx.interview.questions.types import Field, Question
from traindx.interview.stating import by_signs
from traindx.signs.lr import rate_above_usual, rate_below_usual
from traindx.signs.optimizer import decay_coupled, momentum_extreme, optimizer_ill_fitting

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
        rate_above_usual, rate_below_usual, momentum_extreme, decay_coupled, optimizer_ill_fitting
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
