"""How often each class was the right one, over all batches looked at."""

from collections import Counter
from collections.abc import Sequence
from operator import eq
from typing import final

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
