"""What the model is to answer: range and spread of the targets, their classes, and the order they stand in.

The order is told only where each row of the batch has one target: neighbours in a sentence or an image are
alike by nature. For classes it is the excess of equal neighbours over what all targets looked at so far
would give in random order, so that batches of a single class read as sorted; for numbers it is the
correlation of ranks of neighbours.
"""

from collections import Counter
from math import isfinite, sqrt
from operator import mul

from traindx import facts, quantities
from traindx.recorder.losses.answers import Answers, answers_of
from traindx.recorder.losses.class_counts import ClassCounts, excess
from traindx.recorder.losses.function import Compares
from traindx.recorder.losses.serial import serial_correlation
from traindx.recorder.probes.types import Batch, Look, LossCall, Probe, Purpose
from traindx.recorder.tensors.moments import Moments, moments
from traindx.recorder.tensors.part import part_of
from traindx.recorder.tensors.table import nonfinite_share

_FEWEST_NEIGHBOURS = 8


class Targets(Probe):
    """Writes the statistics of the targets."""

    def __init__(self) -> None:
        """Begin with no target seen."""
        self._rows: frozenset[int] = frozenset()
        self._counts = {purpose: ClassCounts() for purpose in Purpose}
        self._balanced_at = 0

    def batch_enters(self, look: Look, batch: Batch) -> None:
        """Remember how many rows the batch may have: of sequences the second dimension may count them."""
        shapes = [tuple(tensor.shape) for tensor in batch.tensors]
        self._rows = frozenset(size for shape in shapes for size in shape[: 1 if len(shape) < 3 else 2])

    def loss_is_computed(self, look: Look, call: LossCall) -> None:
        """Describe the target that the prediction was compared with."""
        answers = answers_of(call)
        if answers is None:
            return
        part = part_of(call.purpose)
        _describe_values(look, answers, part)
        one_each = answers.samples in self._rows
        if answers.right:
            counts = Counter(answers.right)
            look.add(quantities.TARGET_CLASSES, float(len(counts)), part=part)
            commonest = max(counts.values()) / len(answers.right)
            look.add(quantities.COMMONEST_TARGET_SHARE, commonest, part=part)
            if one_each:
                self._counts[call.purpose].add(counts)
        if one_each:
            self._describe_order(look, answers, call.purpose)
        if call.purpose is Purpose.TRAINING:
            self._state(look, answers)

    def _describe_order(self, look: Look, answers: Answers, purpose: Purpose) -> None:
        found = None
        if len(answers.right) >= _FEWEST_NEIGHBOURS:
            by_chance = self._counts[purpose].agreement
            found = excess(answers.right, by_chance)
        elif answers.function.compares is Compares.NUMBERS and answers.numbers is not None:
            values = answers.numbers[:, 0].tolist()
            if len(values) >= _FEWEST_NEIGHBOURS and all(map(isfinite, values)):
                found = serial_correlation(values)
        if found is not None:
            look.add(quantities.NEIGHBOUR_AGREEMENT, found, part=part_of(purpose))

    def _state(self, look: Look, answers: Answers) -> None:
        """State the number of classes, and from time to time how evenly they occur."""
        several = answers.function.compares is Compares.YES_NO and not answers.samples
        if answers.classes and not several:
            look.state(facts.CLASSES, answers.classes)
        counts = self._counts[Purpose.TRAINING]
        if counts.total > 1.25 * self._balanced_at and counts.balance is not None:
            self._balanced_at = counts.total
            look.state(facts.CLASS_BALANCE, counts.balance)


def _describe_values(look: Look, answers: Answers, part: str) -> None:
    found = _of_classes(answers) if answers.numbers is None else moments(answers.numbers.double())
    if found is not None:
        look.add(quantities.TARGET_MEAN, found.mean, part=part)
        look.add(quantities.TARGET_MIN, found.low, part=part)
        look.add(quantities.TARGET_MAX, found.high, part=part)
        if found.std is not None:
            look.add(quantities.TARGET_STD, found.std, part=part)
    if answers.numbers is not None and answers.target.is_floating_point():
        share = nonfinite_share(answers.target, answers.numbers)
        look.add(quantities.TARGET_NONFINITE_SHARE, share, part=part)


def _of_classes(answers: Answers) -> Moments | None:
    """The moments of the numbers that name the classes."""
    names = answers.right
    if not names:
        return None
    count, total = len(names), sum(names)
    std = sqrt(count * sum(map(mul, names, names)) - total * total) / count if count > 1 else None
    return Moments(total / count, std, float(min(names)), float(max(names)))


PROBE = Targets
