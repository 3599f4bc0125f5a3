"""What the model is to answer: range, spread, classes and order of the targets, and what is wrong with them.

The order is told only where each row of the batch has one target: neighbors in a sentence or an image are
alike by nature. For classes it is the excess of equal neighbors over what all targets looked at so far
would give in random order, so that batches of a single class read as sorted; for numbers it is the
correlation of ranks of neighbors.

Answers of yes and no outside of what can be answered are a fault. Classes that are counted from 1 are one in
some programs, and in others the first class stands for padding: with an output more than there are classes
nothing fails, and the first output learns never to be chosen.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import isfinite, sqrt
from operator import eq, mul
from typing import final

from torch import Tensor

from traindx import facts, quantities
from traindx.recorder.losses.answers import Answers, answers_of
from traindx.recorder.losses.function import Compares, are_signs, counted, impossible_targets
from traindx.recorder.probes.types import Batch, LossCall, Probe, Purpose, Snapshot, part_of
from traindx.recorder.tensors.sample import Moments, moments, nonfinite_share

_SEEN_OFTEN = 10
"""Targets per class from which the rarest class is more than an accident."""


@final
class ClassCounts:
    """Counts that grow batch by batch."""

    def __init__(self) -> None:
        self.counts: Counter[int] = Counter()
        self.total = 0
        self._equal_pairs = 0

    def add(self, batch: Counter[int]) -> None:
        """Count the targets of a batch."""
        for name, more in batch.items():
            before = self.counts[name]
            self.counts[name] = before + more
            self._equal_pairs += more * (2 * before + more - 1)
        self.total += batch.total()

    @property
    def agreement(self) -> float:
        """How often two targets are equal when all that were counted stand in random order."""
        return self._equal_pairs / (self.total * (self.total - 1)) if self.total > 1 else 1.0

    @property
    def balance(self) -> float | None:
        """Commonest over rarest class; None before there are two classes and ten targets for each."""
        if len(self.counts) < 2 or self.total < _SEEN_OFTEN * len(self.counts):
            return None
        return max(self.counts.values()) / min(self.counts.values())


def excess(targets: Sequence[int], by_chance: float) -> float | None:
    """How much more often neighbors are equal than by chance, 1 when always; None if chance always does."""
    if len(targets) < 2 or by_chance >= 1.0:
        return None
    equal: float = sum(map(eq, targets, targets[1:])) / (len(targets) - 1)
    return (equal - by_chance) / (1.0 - by_chance)


def serial_correlation(values: Sequence[float]) -> float | None:
    """Correlation of each rank with the next: 0 shuffled, 1 sorted; None where ranks do not vary.

    Equal values share their rank: sorting alone would number them in the order they stand in.
    """
    first: dict[float, int] = {}
    last: dict[float, int] = {}
    for index, value in enumerate(sorted(values)):
        first.setdefault(value, index)
        last[value] = index
    ranks = [first[value] + last[value] for value in values]
    return _correlation(ranks[:-1], ranks[1:])


def _correlation(order: Sequence[int], others: Sequence[int]) -> float | None:
    count, total, other_total = len(order), sum(order), sum(others)
    spread = count * sum(map(mul, order, order)) - total * total
    other_spread = count * sum(map(mul, others, others)) - other_total * other_total
    if not spread or not other_spread:
        return None
    together: int = count * sum(map(mul, order, others)) - total * other_total
    return together / sqrt(spread * other_spread)


_FEWEST_NEIGHBORS = 8
_EXPECTED = 10.0
"""Targets of a class that training would have shown with the class's share in validation: none of so many is
no accident."""


class Targets(Probe):
    """Writes the statistics of the targets."""

    def __init__(self) -> None:
        self._rows: frozenset[int] = frozenset()
        self._counts = {purpose: ClassCounts() for purpose in Purpose}
        self._balanced_at = 0
        self._states_unseen = False

    def batch_enters(self, snapshot: Snapshot, batch: Batch) -> None:
        """Remember how many rows the batch may have: of sequences the second dimension may count them."""
        shapes = [tuple(tensor.shape) for tensor in batch.tensors]
        self._rows = frozenset(size for shape in shapes for size in shape[: 1 if len(shape) < 3 else 2])

    def loss_is_computed(self, snapshot: Snapshot, call: LossCall) -> None:
        """Describe the target that the prediction was compared with."""
        answers = answers_of(call)
        if answers is None:
            return
        part = part_of(call.purpose)
        _describe_values(snapshot, answers, part)
        one_each = answers.samples in self._rows
        if answers.right:
            counts = Counter(answers.right)
            snapshot.add(quantities.TARGET_CLASSES, float(len(counts)), part=part)
            commonest = max(counts.values()) / len(answers.right)
            snapshot.add(quantities.COMMONEST_TARGET_SHARE, commonest, part=part)
            if one_each:
                self._counts[call.purpose].add(counts)
        if one_each:
            self._describe_order(snapshot, answers, call.purpose)
            self._compare_classes(snapshot)
        if call.purpose is Purpose.TRAINING:
            self._state(snapshot, answers)

    def _compare_classes(self, snapshot: Snapshot) -> None:
        """State the classes that are validated on and never trained on, and take them back once they are."""
        trained, validated = self._counts[Purpose.TRAINING], self._counts[Purpose.VALIDATION]
        if not validated.total:
            return
        least = _EXPECTED * validated.total / max(trained.total, 1)
        unseen = [
            name for name, count in validated.counts.items() if count >= least and name not in trained.counts
        ]
        if unseen or self._states_unseen:
            self._states_unseen = True
            snapshot.state(facts.UNSEEN_CLASSES, ", ".join(map(str, sorted(unseen))))

    def _describe_order(self, snapshot: Snapshot, answers: Answers, purpose: Purpose) -> None:
        relation = None
        if len(answers.right) >= _FEWEST_NEIGHBORS:
            by_chance = self._counts[purpose].agreement
            relation = excess(answers.right, by_chance)
        elif answers.function.compares is Compares.NUMBERS and answers.numbers is not None:
            values = answers.numbers[:, 0].tolist()
            if len(values) >= _FEWEST_NEIGHBORS and all(map(isfinite, values)):
                relation = serial_correlation(values)
        if relation is not None:
            snapshot.add(quantities.NEIGHBOR_AGREEMENT, relation, part=part_of(purpose))

    def _state(self, snapshot: Snapshot, answers: Answers) -> None:
        """State the number of classes, and from time to time how evenly they occur."""
        several = answers.function.compares is Compares.YES_NO and not answers.samples
        if answers.classes and not several:
            snapshot.state(facts.CLASSES, answers.classes)
        counts = self._counts[Purpose.TRAINING]
        if counts.total > 1.25 * self._balanced_at and counts.balance is not None:
            self._balanced_at = counts.total
            snapshot.state(facts.CLASS_BALANCE, counts.balance)


def _describe_values(snapshot: Snapshot, answers: Answers, part: str) -> None:
    statistics = _of_classes(answers) if answers.numbers is None else moments(answers.numbers.double())
    if statistics is not None:
        snapshot.add(quantities.TARGET_MEAN, statistics.mean, part=part)
        snapshot.add(quantities.TARGET_MIN, statistics.low, part=part)
        snapshot.add(quantities.TARGET_MAX, statistics.high, part=part)
        if statistics.std is not None:
            snapshot.add(quantities.TARGET_STD, statistics.std, part=part)
    if answers.numbers is not None and answers.target.is_floating_point():
        share = nonfinite_share(answers.target, answers.numbers)
        snapshot.add(quantities.TARGET_NONFINITE_SHARE, share, part=part)


def _of_classes(answers: Answers) -> Moments | None:
    """The moments of the numbers that name the classes."""
    names = answers.right
    if not names:
        return None
    count, total = len(names), sum(names)
    std = sqrt(count * sum(map(mul, names, names)) - total * total) / count if count > 1 else None
    return Moments(total / count, std, float(min(names)), float(max(names)))


_MOST = 100
"""Values that are kept: more are simply many."""


class TargetValues(Probe):
    """Keeps the different values of the targets, until there are many."""

    def __init__(self) -> None:
        self._values: set[float] = set()
        self._whole = True

    def loss_is_computed(self, snapshot: Snapshot, call: LossCall) -> None:
        """See the targets of a training batch."""
        answers = answers_of(call)
        if answers is None or call.purpose is not Purpose.TRAINING:
            return
        samples = max(answers.prediction.shape[0], 1)
        snapshot.state(facts.OUTPUTS, answers.prediction.numel() // samples)
        if answers.function.compares is not Compares.NUMBERS or answers.numbers is None:
            return
        if len(self._values) < _MOST or self._whole:
            values = [value for value in answers.numbers.flatten()[: 16 * _MOST].tolist() if isfinite(value)]
            self._whole = self._whole and all(value.is_integer() for value in values)
            if len(self._values) < _MOST:
                self._values.update(values)
        snapshot.state(facts.TARGET_VALUES, min(len(self._values), _MOST))
        snapshot.state(facts.TARGETS_ARE_WHOLE, self._whole)


_LEFT_OUT = ("ignore_index", "ignore_class")
_FEWEST_TARGETS = 200
_FEWEST_PER_CLASS = 20
"""On average: of many classes, some are not seen for long."""


class LabelFaults(Probe):
    """States what is wrong with the targets of training batches, and takes it back where it was wrong."""

    def __init__(self) -> None:
        self._seen: set[int] = set()
        self._targets = 0
        self._stated = False
        self._places = self._counted = self._most_true = 0

    def loss_is_computed(self, snapshot: Snapshot, call: LossCall) -> None:
        """See the targets of a training batch."""
        answers = answers_of(call)
        if answers is None or call.purpose is not Purpose.TRAINING:
            return
        if answers.function.compares is not Compares.CLASSES:
            self._see_numbers(snapshot, answers)
            return
        if answers.numbers is None:
            self._see_left_out(snapshot, answers.target, call.options)
        else:
            self._see_shares(snapshot, answers.numbers)
        if 0 not in map(call.options.get, _LEFT_OUT):
            self._see_classes(snapshot, answers)

    def _see_numbers(self, snapshot: Snapshot, answers: Answers) -> None:
        if answers.numbers is None or not answers.numbers.numel():
            return
        fault = impossible_targets(answers.function, *map(float, answers.numbers.aminmax()))
        if fault:
            snapshot.state(facts.LABEL_FAULT, fault)
            if answers.function.compares is Compares.YES_NO and are_signs(answers.numbers):
                snapshot.state(facts.LOWEST_LABEL, -1)

    def _see_shares(self, snapshot: Snapshot, rows: Tensor) -> None:
        """State how many classes are true at once, of rows that say yes or no to each."""
        if bool(((rows == 0) | (rows == 1)).all()):
            self._most_true = max(self._most_true, int(rows.sum(1).amax()))
            snapshot.state(facts.TRUE_CLASSES, self._most_true)

    def _see_left_out(self, snapshot: Snapshot, target: Tensor, options: Mapping[str, object]) -> None:
        """State the share of targets that count, if not all do: one batch alone may hold only padding."""
        self._places += target.numel()
        self._counted += counted(target, options).numel()
        if self._counted < self._places:
            snapshot.state(facts.COUNTED_TARGETS, self._counted / self._places)

    def _see_classes(self, snapshot: Snapshot, answers: Answers) -> None:
        missing = self._first_left_out(answers)
        if missing or self._stated:
            self._stated = bool(missing)
            snapshot.state(facts.UNUSED_CLASS, missing)

    def _first_left_out(self, answers: Answers) -> str:
        self._seen.update(answers.right)
        self._targets += len(answers.right)
        last = answers.classes - 1
        if self._targets < max(_FEWEST_TARGETS, _FEWEST_PER_CLASS * answers.classes):
            return ""
        if last < 2 or min(self._seen) != 1 or max(self._seen) != last:
            return ""
        return f"labels are 1 to {last} for {answers.classes} outputs; label 0 never occurs"
