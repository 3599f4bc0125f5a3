"""A sample of what one call of a loss function compared: the answers given, and the right ones."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan, prod
from typing import final
from weakref import WeakKeyDictionary

import torch
from torch import Tensor

from traindx.recorder.losses.function import Compares, LossFunction, loss_function
from traindx.recorder.probes.types import LossCall
from traindx.recorder.tensors.access import legible
from traindx.recorder.tensors.sample import table, thinned

_MOST_PLACES = 1024
_MOST_SCORES = 1 << 15
_FEWEST_ROWS = 16
_BLOCK = 256
_NONE = -1
_IGNORED = -100
"""The target that torch leaves out unless told otherwise."""


@final
@dataclass(frozen=True, eq=False)
class Answers:
    """Predictions and targets of one call; what is a sample of them is on the CPU."""

    function: LossFunction
    prediction: Tensor
    target: Tensor
    scores: Tensor
    """The prediction as rows by outputs: a row per place where there are classes, else per sample."""
    numbers: Tensor | None
    """The target as rows by outputs, unless it names classes: numbers, or a share per class."""
    classes: int = 0
    """How many classes the model chooses from; 0 where the targets name none."""
    right: Sequence[int] = ()
    """The right class of up to 1,024 places; those to be ignored are left out."""
    chosen: Sequence[int] = ()
    """The class that was chosen, place by place, of fewer places where there are many classes."""
    chosen_right: Sequence[int] = ()
    """The right class at the places of `chosen`."""
    right_in_scores: Sequence[int] = ()
    """The right class of each row of the scores, for yes and no of each score; -1 where it does not count."""

    @property
    def samples(self) -> int:
        """How many samples there are, if each has one target; 0 where one has several, as a sentence has."""
        count = self.target.shape[0] if self.target.dim() else 0
        targets = self.target.numel()
        if self.function.compares is Compares.CLASSES and self.numbers is not None:
            targets //= self.classes
        return count if targets == count else 0


_READ: WeakKeyDictionary[LossCall, Answers | None] = WeakKeyDictionary()


def answers_of(call: LossCall) -> Answers | None:
    """What the call compared, sampled once for all who ask while it lasts; None if it cannot be read."""
    if call not in _READ:
        _READ[call] = _read(call)
    return _READ[call]


def _read(call: LossCall) -> Answers | None:
    prediction, target = legible(call.prediction), legible(call.target)
    if prediction is None or target is None or not prediction.is_floating_point() or not prediction.dim():
        return None
    function = loss_function(call.function, call.options)
    if function.compares is Compares.CLASSES:
        if target.shape == prediction.shape:
            return _shares(function, prediction, target)
        return _classes(function, prediction, target, call.options.get("ignore_index", _IGNORED))
    if function.compares is Compares.YES_NO and target.numel() == prediction.numel():
        return _yes_or_no(function, prediction.reshape(target.shape), target)
    return Answers(
        function, prediction, target, _wide(table(prediction, 256, 64)), _wide(table(target, 256, 64))
    )


def _classes(function: LossFunction, prediction: Tensor, target: Tensor, ignored: object) -> Answers | None:
    """Scores per class against the number of a class."""
    scores = _classes_last(function, prediction)
    places = scores.shape[:-1]
    if target.shape == (*places, 1):
        # Keras keeps a dimension of one for the number of the class.
        target = target[..., 0]
    if target.shape != places:
        return None
    scores = _rows(scores, places)
    chosen = _highest(scores)
    right = chosen_right = _listed(target, _MOST_PLACES)
    if target.numel() > _most_rows(scores.shape[1]) < _MOST_PLACES:
        chosen_right = _listed(target, _most_rows(scores.shape[1]))
    in_scores = chosen_right
    if ignored in in_scores:
        in_scores = [_NONE if true == ignored else true for true in in_scores]
    chosen, chosen_right = _answered(chosen, chosen_right, ignored)
    if ignored in right:
        right = [true for true in right if true != ignored]
    count = scores.shape[1]
    return Answers(function, prediction, target, scores, None, count, right, chosen, chosen_right, in_scores)


def _shares(function: LossFunction, prediction: Tensor, target: Tensor) -> Answers:
    """Scores per class against a share per class: the class with the largest share is the right one."""
    places = _classes_last(function, prediction).shape[:-1]
    scores = _rows(_classes_last(function, prediction), places)
    shares = _rows(_classes_last(function, target), places)
    in_scores = _highest(shares)
    chosen, chosen_right = _answered(_highest(scores), in_scores, _NONE)
    right = [true for true in in_scores if true != _NONE]
    count = scores.shape[1]
    return Answers(
        function, prediction, target, scores, shares, count, right, chosen, chosen_right, in_scores
    )


def _yes_or_no(function: LossFunction, prediction: Tensor, target: Tensor) -> Answers:
    """Answers of yes and no; without classes where targets lie in between, such as gray pixels."""
    columns = min(8, prod(target.shape[1:]))
    scores = _wide(table(prediction, _MOST_PLACES // columns, columns))
    numbers = _wide(table(target, _MOST_PLACES // columns, columns))
    middle, half = (function.yes + function.no) / 2, (function.yes - function.no) / 2
    nearest, farthest = (numbers - middle).abs().aminmax()
    # Labels may be smoothed, but not beyond recognition.
    if not half / 2 <= float(nearest) <= float(farthest) <= half:
        return Answers(function, prediction, target, scores, numbers)
    right = (numbers > middle).flatten().int().tolist()
    predicted = (scores > function.boundary).int()
    if isnan(float(scores.sum())):
        predicted = predicted.masked_fill(scores.isnan(), _NONE)
    chosen, chosen_right = _answered(predicted.flatten().tolist(), right, _NONE)
    return Answers(function, prediction, target, scores, numbers, 2, right, chosen, chosen_right, right)


def _classes_last(function: LossFunction, tensor: Tensor) -> Tensor:
    axis = function.class_axis if tensor.dim() > 1 else 0
    return tensor if axis in (-1, tensor.dim() - 1) else tensor.movedim(axis, -1)


def _rows(scores: Tensor, places: Sequence[int]) -> Tensor:
    """A sample of the places as rows, a column per class."""
    count = scores.shape[-1]
    sample = scores[thinned(tuple(places), _most_rows(count))] if places else scores
    sample = sample.reshape(-1, count).cpu()
    return sample if sample.dtype.itemsize > 2 else sample.float()


def _answered(chosen: list[int], right: list[int], ignored: object) -> tuple[list[int], list[int]]:
    """Both without the places that are to be ignored and those where nothing was chosen."""
    if _NONE not in chosen and ignored not in right:
        return chosen, right
    pairs = zip(chosen, right, strict=True)
    kept = [(predicted, true) for predicted, true in pairs if predicted != _NONE and true != ignored]
    return [predicted for predicted, _ in kept], [true for _, true in kept]


def _highest(scores: Tensor) -> list[int]:
    """The class with the highest score in each row; none where a score is NaN."""
    peaks = scores if scores.shape[1] < 16 * _BLOCK else _peaks(scores)
    places: list[int] = peaks.argmax(1).tolist()
    if peaks is not scores:
        starts = [index * _BLOCK for index in places]
        blocks = (row[start : start + _BLOCK] for row, start in zip(scores, starts, strict=True))
        places = [start + int(block.argmax()) for block, start in zip(blocks, starts, strict=True)]
    if isnan(float(peaks.sum())):
        unknown = peaks.isnan().any(1).tolist()
        places = [_NONE if bad else index for index, bad in zip(places, unknown, strict=True)]
    return places


def _peaks(scores: Tensor) -> Tensor:
    """The highest score of each block: the search for a place is ten times slower than that for a value."""
    count = scores.shape[1]
    whole = count // _BLOCK * _BLOCK
    peaks = scores[:, :whole].unflatten(1, (-1, _BLOCK)).amax(2)
    return peaks if whole == count else torch.cat((peaks, scores[:, whole:].amax(1, keepdim=True)), 1)


def _most_rows(classes: int) -> int:
    return max(_FEWEST_ROWS, min(_MOST_PLACES, _MOST_SCORES // classes))


def _listed(target: Tensor, most: int) -> list[int]:
    """The classes of a sample of the places."""
    sample = target[thinned(tuple(target.shape), most)] if target.dim() else target
    listed: list[int] = sample.flatten().cpu().to(torch.int64).tolist()
    return listed


def _wide(sample: Tensor) -> Tensor:
    return sample.to(torch.float64)
