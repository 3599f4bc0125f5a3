"""What the model is to answer: range and spread of the targets, their classes, and the order they stand in.

The order is told only where each row of the batch has one target: neighbours in a sentence or an image are
alike by nature. For classes it is the excess of equal neighbours over what all targets looked at so far
would give in random order, so that batches of a single class read as sorted; for numbers it is the
correlation of ranks of neighbours.
"""

from collections import Counter
from collections.abc import Sequence
from math import isfinite, sqrt
from operator import eq, mul
from typing import final

from traindx import facts, quantities
from traindx.recorder.losses.answers import Answers, answers_of
from traindx.recorder.losses.function import Compares
from traindx.recorder.probes.types import Batch, LossCall, Probe, Purpose, Snapshot, part_of
from traindx.recorder.tensors.table import Moments, moments, nonfinite_share

_SEEN_OFTEN = 10
"""Targets per class from which the rarest class is more than an accident."""


@final
class ClassCounts:
    """Counts that grow batch by batch."""

    def __init__(self) -> None:
        """Begin with none."""
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
    """How much more often neighbours are equal than by chance, 1 when always; None if chance always does."""
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
    for place, value in enumerate(sorted(values)):
        first.setdefault(value, place)
        last[value] = place
    ranks = [first[value] + last[value] for value in values]
    return _correlation(ranks[:-1], ranks[1:])


def _correlation(these: Sequence[int], others: Sequence[int]) -> float | None:
    count, total, other_total = len(these), sum(these), sum(others)
    spread = count * sum(map(mul, these, these)) - total * total
    other_spread = count * sum(map(mul, others, others)) - other_total * other_total
    if not spread or not other_spread:
        return None
    together: int = count * sum(map(mul, these, others)) - total * other_total
    return together / sqrt(spread * other_spread)


_FEWEST_NEIGHBOURS = 8


class Targets(Probe):
    """Writes the statistics of the targets."""

    def __init__(self) -> None:
        """Begin with no target seen."""
        self._rows: frozenset[int] = frozenset()
        self._counts = {purpose: ClassCounts() for purpose in Purpose}
        self._balanced_at = 0

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
        if call.purpose is Purpose.TRAINING:
            self._state(snapshot, answers)

    def _describe_order(self, snapshot: Snapshot, answers: Answers, purpose: Purpose) -> None:
        found = None
        if len(answers.right) >= _FEWEST_NEIGHBOURS:
            by_chance = self._counts[purpose].agreement
            found = excess(answers.right, by_chance)
        elif answers.function.compares is Compares.NUMBERS and answers.numbers is not None:
            values = answers.numbers[:, 0].tolist()
            if len(values) >= _FEWEST_NEIGHBOURS and all(map(isfinite, values)):
                found = serial_correlation(values)
        if found is not None:
            snapshot.add(quantities.NEIGHBOUR_AGREEMENT, found, part=part_of(purpose))

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
    found = _of_classes(answers) if answers.numbers is None else moments(answers.numbers.double())
    if found is not None:
        snapshot.add(quantities.TARGET_MEAN, found.mean, part=part)
        snapshot.add(quantities.TARGET_MIN, found.low, part=part)
        snapshot.add(quantities.TARGET_MAX, found.high, part=part)
        if found.std is not None:
            snapshot.add(quantities.TARGET_STD, found.std, part=part)
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


PROBE = Targets
