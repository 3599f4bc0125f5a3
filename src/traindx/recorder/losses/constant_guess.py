"""What the best constant guess costs, from targets gathered over batches."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from math import isfinite, log
from typing import final

import torch
from torch import Tensor

from traindx.recorder.losses.answers import Answers
from traindx.recorder.losses.function import Compares, Guess
from traindx.recorder.tensors.sample import table


def of_classes(
    shares: Mapping[int, float], classes: int, smoothing: float, weights: Sequence[float], named: bool
) -> float:
    """Cross-entropy of the best guess, given the share of each class that occurs.

    `weights` is empty or holds one per class. Where targets name classes, torch divides by their weights;
    where they give shares (`named` is false), it does not.
    """
    even = smoothing / classes
    parts = [(1.0 - smoothing) * share + even for share in shares.values()]
    divisor = 1.0
    if weights:
        parts = [weights[name] * part for name, part in zip(shares, parts, strict=True)]
        parts += [weights[name] * even for name in range(classes) if name not in shares]
        divisor = sum(weights[name] * share for name, share in shares.items()) if named else 1.0
    elif even:
        parts += [even] * (classes - len(shares))
    whole = sum(parts)
    return sum(part * log(whole / part) for part in parts if part > 0) / divisor


def of_yes_or_no(shares: Sequence[float], smoothing: float, weights: Sequence[float]) -> float:
    """Binary cross-entropy of the best guess for each output, given its share of yes; the mean of all.

    `weights` is empty or holds what a yes counts more than a no, per output.
    """
    total = 0.0
    for number, share in enumerate(shares):
        smoothed = (1.0 - smoothing) * share + smoothing / 2
        yes, no = smoothed * (weights[number] if weights else 1.0), 1.0 - smoothed
        total += sum(part * log((yes + no) / part) for part in (yes, no) if part > 0)
    return total / len(shares)


def of_squares(rows: Tensor) -> float:
    """Mean squared error of the best guess for each output: the variance over the rows."""
    return float((rows - rows.mean(0)).square().sum()) / int((len(rows) - 1) * rows.shape[1])


def of_distances(rows: Tensor) -> float:
    """Mean absolute error of the best guess for each output: the distance from the median."""
    return float((rows - rows.median(0).values).abs().mean())


def floats(option: object, count: int) -> list[float] | None:
    """A weight per class or output; empty if none is given, None if they do not fit."""
    if option is None:
        return []
    if not isinstance(option, Tensor) or option.numel() not in (1, count):
        return None
    values: list[float] = option.detach().cpu().to(torch.float64).flatten().tolist()
    return values * count if len(values) == 1 else values


_ROWS_TO_TELL = 32
_TARGETS_PER_CLASS = 10
_MOST_CLASSES = 4096
"""Classes up to which shares and weights are added up one by one."""
_MOST_VALUES = 4096


class ConstantGuess(ABC):
    """What is known of the targets of one loss function."""

    seen: int = 0
    """Targets seen so far."""

    @abstractmethod
    def add(self, answers: Answers) -> None:
        """See the targets of one more call."""

    @abstractmethod
    def loss(self, options: Mapping[str, object]) -> float | None:
        """What the best constant guess costs; None after too few targets, or where no formula tells."""


def guess_for(answers: Answers) -> ConstantGuess | None:
    """Where to gather the targets; None if the loss function has no formula for a constant guess."""
    guess = answers.function.guess
    if guess is None:
        return None
    if guess is not Guess.SURPRISE:
        return NumberGuess(guess)
    if answers.function.compares is Compares.YES_NO:
        return YesNoGuess()
    return ClassGuess() if answers.numbers is None else ShareGuess()


@final
class ClassGuess(ConstantGuess):
    """Targets that name a class."""

    def __init__(self) -> None:
        self._counts: Counter[int] = Counter()
        self._classes = 0

    def add(self, answers: Answers) -> None:
        """Count the classes."""
        self._classes = answers.classes
        self._counts.update(answers.right)
        self.seen += len(answers.right)

    def loss(self, options: Mapping[str, object]) -> float | None:
        """The entropy of the classes, with smoothing and weights as the loss has them."""
        weights = floats(options.get("weight"), self._classes)
        if weights is None or self.seen < max(_ROWS_TO_TELL, _TARGETS_PER_CLASS * len(self._counts)):
            return None
        if weights and (self._classes > _MOST_CLASSES or max(self._counts) >= self._classes):
            return None
        shares = {name: count / self.seen for name, count in self._counts.items()}
        return of_classes(shares, self._classes, _smoothing(options), weights, named=True)


@final
class ShareGuess(ConstantGuess):
    """Targets that give each class a share."""

    def __init__(self) -> None:
        self._sums: Tensor | None = None

    def add(self, answers: Answers) -> None:
        """Add up the shares."""
        if answers.numbers is not None and answers.classes <= _MOST_CLASSES:
            self._sums = _plus(self._sums, answers.numbers)
            self.seen += len(answers.numbers)

    def loss(self, options: Mapping[str, object]) -> float | None:
        """The entropy of the mean shares, with smoothing and weights as the loss has them."""
        if self._sums is None or self.seen < _ROWS_TO_TELL:
            return None
        shares = {name: total / self.seen for name, total in enumerate(self._sums.tolist())}
        weights = floats(options.get("weight"), len(shares))
        if weights is None or not all(isfinite(share) and share >= 0 for share in shares.values()):
            return None
        return of_classes(shares, len(shares), _smoothing(options), weights, named=False)


@final
class YesNoGuess(ConstantGuess):
    """Targets of yes and no, or anything between 0 and 1, per output."""

    def __init__(self) -> None:
        self._sums: Tensor | None = None
        self._outputs = 0

    def add(self, answers: Answers) -> None:
        """Add up the yes of each output."""
        rows = table(answers.target, 256, 256)
        self._outputs = answers.target.numel() // len(answers.target) if answers.target.dim() else 1
        self._sums = _plus(self._sums, rows)
        self.seen += len(rows)

    def loss(self, options: Mapping[str, object]) -> float | None:
        """The mean entropy of the outputs, with smoothing and the weight of a yes as the loss has them."""
        if self._sums is None or self.seen < _ROWS_TO_TELL or options.get("weight") is not None:
            return None
        shares = [total / self.seen for total in self._sums.tolist()]
        weights = floats(options.get("pos_weight"), self._outputs)
        if weights is None or not all(0 <= share <= 1 for share in shares):
            return None
        if weights and len(shares) != self._outputs:
            return None
        return of_yes_or_no(shares, _smoothing(options), weights)


@final
class NumberGuess(ConstantGuess):
    """Targets that are numbers: a few thousand are kept, of older ones ever fewer."""

    def __init__(self, guess: Guess) -> None:
        self._of = of_squares if guess is Guess.SQUARE else of_distances
        self._rows: Tensor | None = None

    def add(self, answers: Answers) -> None:
        """Keep some of the targets."""
        rows = table(answers.target, 64, 64).to(torch.float64, copy=True)
        self._rows = rows if self._rows is None else torch.cat((self._rows, rows))
        self.seen += len(rows)
        while self._rows.numel() > _MOST_VALUES:
            self._rows = self._rows[::2].clone()

    def loss(self, options: Mapping[str, object]) -> float | None:
        """The variance of the targets, or their mean distance from the median."""
        if self._rows is None or len(self._rows) < _ROWS_TO_TELL or options.get("weight") is not None:
            return None
        level = self._of(self._rows)
        return level if isfinite(level) else None


def _plus(sums: Tensor | None, rows: Tensor) -> Tensor:
    # A new tensor each time: one made under inference mode may not be changed outside.
    added = rows.sum(0, dtype=torch.float64)
    return added if sums is None else sums + added


def _smoothing(options: Mapping[str, object]) -> float:
    value = options.get("label_smoothing")
    return float(value) if isinstance(value, int | float) else 0.0
