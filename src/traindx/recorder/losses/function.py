"""What a loss function compares, by the name torch or Keras gives it, and what is wrong with its targets."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum
from math import inf

import torch
from torch import Tensor

from traindx.format import count


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
    lowest: float | None = None
    """The lowest target that means something, of losses that compare numbers."""
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
    "poisson_nll_loss": replace(_STRETCHED, lowest=0.0),
    "poisson": replace(_NUMBERS, lowest=0.0),
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


_LEFT_OUT = ("ignore_index", "ignore_class")
"""What torch and Keras call the class that does not count."""


def outputs_of(function: str, prediction: Tensor, options: Mapping[str, object]) -> int:
    """How many classes the prediction can choose from; 0 where it chooses from none."""
    known = loss_function(function, options)
    if known.compares is not Compares.CLASSES or not prediction.dim():
        return 0
    return int(prediction.shape[known.class_axis if prediction.dim() > 1 else 0])


_BY_CHANCE = 0.05
"""Below it, a class of average size that no label of a batch has is taken for one that does not occur."""


def label_fault(function: str, prediction: Tensor, target: Tensor, options: Mapping[str, object]) -> str:
    """Which targets cannot be meant; empty where all can."""
    known = loss_function(function, options)
    if known.compares is Compares.CLASSES and target.shape != prediction.shape:
        return _impossible_classes(outputs_of(function, prediction, options), target, options)
    if known.compares is not Compares.CLASSES and target.numel():
        return impossible_targets(known, *map(float, target.detach().aminmax()))
    return ""


def lowest_label(function: str, prediction: Tensor, target: Tensor, options: Mapping[str, object]) -> int:
    """1 of classes 1 to the number of outputs, -1 of answers -1 and 1 that should be 0 and 1; else 0."""
    known = loss_function(function, options)
    if known.compares is Compares.YES_NO:
        return -1 if known.no == 0 and are_signs(target) else 0
    if known.compares is Compares.NUMBERS or target.is_floating_point():
        return 0
    outputs, ids = outputs_of(function, prediction, options), counted(target, options)
    if outputs < 2 or not ids.numel():
        return 0
    low, high = (int(end) for end in ids.aminmax())
    # Enough of them to have shown a 0.
    is_sure = (1 - 1 / outputs) ** ids.numel() < _BY_CHANCE
    return 1 if low >= 1 and high == outputs and is_sure else 0


def are_signs(target: Tensor) -> bool:
    """Whether all targets are -1 or 1, and some are -1."""
    return bool((target.detach().abs() == 1).all() and (target.detach() == -1).any())


def impossible_targets(function: LossFunction, low: float, high: float) -> str:
    """What is wrong with targets that are answers, or that have a lowest value; empty where nothing is."""
    asks = function.compares is Compares.YES_NO
    least, most = (function.no, function.yes) if asks else (function.lowest, inf)
    if low != low or least is None or least <= low <= high <= most:
        return ""
    sentence = f"all targets are {low:.3g}" if low == high else f"targets from {low:.3g} to {high:.3g}"
    valid = f"{least:g} to {most:g}" if asks else f"{least:g} or more"
    return f"{sentence}, but valid targets are {valid}"


def counted(target: Tensor, options: Mapping[str, object]) -> Tensor:
    """The class indices that the loss counts."""
    ids = target.detach()
    for name in _LEFT_OUT:
        left_out = options.get(name, -100 if name == "ignore_index" else None)
        if isinstance(left_out, int):
            ids = ids[ids != left_out]
    return ids


def _impossible_classes(outputs: int, target: Tensor, options: Mapping[str, object]) -> str:
    ids = counted(target, options)
    if not outputs or not ids.numel() or (ids.is_floating_point() and not bool(torch.isfinite(ids).all())):
        return ""
    low, high = (int(end) for end in ids.aminmax())
    if 0 <= low <= high < outputs:
        return ""
    sentence = f"label {low if low < 0 else high}"
    valid = "valid label: 0" if outputs == 1 else f"valid labels: 0 to {outputs - 1}"
    return f"{sentence}, but the model has {count(outputs, 'output')} ({valid})"
