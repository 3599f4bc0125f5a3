"""What a loss function compares, by the name torch or Keras gives it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum


class Compares(Enum):
    """What a prediction is about."""

    CLASSES = "classes"
    """One of several: a score per class against the number of a class, or against a share per class."""
    YES_NO = "yes or no"
    """Each output answers a question of its own."""
    NUMBERS = "numbers"


class Guess(Enum):
    """What the best constant guess costs, where a formula tells."""

    SURPRISE = "surprise"
    """Cross-entropy: the entropy of the targets."""
    SQUARE = "square"
    """The variance of the targets."""
    ABSOLUTE = "absolute"
    """The mean distance of the targets from their median."""


class Given(Enum):
    """What a prediction says of the probability of an answer."""

    SCORES = "scores"
    """Any numbers: a softmax, or a sigmoid for yes and no, makes probabilities of them."""
    LOGARITHMS = "logarithms"
    PROBABILITIES = "probabilities"
    NOTHING = "nothing"
    """Margins, and whatever is compared as numbers."""


@dataclass(frozen=True)
class LossFunction:
    """How the predictions and targets of a loss function are to be read."""

    compares: Compares
    guess: Guess | None = None
    given: Given = Given.NOTHING
    class_axis: int = 1
    """Which dimension of the prediction counts classes."""
    boundary: float = 0.0
    """The prediction above which an answer is yes."""
    no: float = 0.0
    yes: float = 1.0
    """The targets that stand for no and yes."""
    broadcasts: bool = False
    """Whether shapes that differ are stretched to each other instead of refused."""


_CLASSES = LossFunction(Compares.CLASSES, Guess.SURPRISE, Given.SCORES)
_KERAS_CLASSES = replace(_CLASSES, given=Given.PROBABILITIES, class_axis=-1)
_SCORES = LossFunction(Compares.YES_NO, Guess.SURPRISE, Given.SCORES)
_PROBABILITIES = replace(_SCORES, given=Given.PROBABILITIES, boundary=0.5)
_NUMBERS = LossFunction(Compares.NUMBERS)
_SQUARES = replace(_NUMBERS, guess=Guess.SQUARE)
_DISTANCES = replace(_NUMBERS, guess=Guess.ABSOLUTE)
_STRETCHED = replace(_NUMBERS, broadcasts=True)

_KNOWN = {
    "cross_entropy": _CLASSES,
    "nll_loss": replace(_CLASSES, given=Given.LOGARITHMS),
    "multi_margin_loss": replace(_CLASSES, guess=None, given=Given.NOTHING),
    "categorical_crossentropy": _KERAS_CLASSES,
    "sparse_categorical_crossentropy": _KERAS_CLASSES,
    "categorical_focal_crossentropy": replace(_KERAS_CLASSES, guess=None),
    "binary_cross_entropy": _PROBABILITIES,
    "binary_cross_entropy_with_logits": _SCORES,
    "multilabel_soft_margin_loss": _SCORES,
    "soft_margin_loss": replace(_SCORES, guess=None, no=-1.0),
    "binary_crossentropy": _PROBABILITIES,
    "binary_focal_crossentropy": replace(_PROBABILITIES, guess=None),
    "mse_loss": replace(_SQUARES, broadcasts=True),
    "l1_loss": replace(_DISTANCES, broadcasts=True),
    "smooth_l1_loss": _STRETCHED,
    "huber_loss": _STRETCHED,
    "poisson_nll_loss": _STRETCHED,
    "kl_div": _STRETCHED,
    "mean_squared_error": _SQUARES,
    "mean_absolute_error": _DISTANCES,
}


def loss_function(name: str, options: Mapping[str, object]) -> LossFunction:
    """How to read the function's predictions and targets; one that is not known compares numbers."""
    known = _KNOWN.get(name, _NUMBERS)
    if known.given is Given.PROBABILITIES and options.get("from_logits"):
        return replace(known, given=Given.SCORES, boundary=0.0)
    return known
