"""Values that the program takes out of tensors between two steps: how many, how long, and where."""

from collections import Counter
from statistics import median

from traindx.facts import READ_PLACE, READS_PER_STEP
from traindx.quantities import READ_TIME
from traindx.recorder.probes.types import Look

COST = 0.5e-6
"""Seconds that counting one takes, measured on a machine of 2023."""


class Reads:
    """What an instrument counts while a step is looked at."""

    __slots__ = ("_counts", "_places", "count", "is_counting", "is_open", "seconds")

    def __init__(self) -> None:
        self.is_open = False
        """Whether a step is looked at, until its optimizer steps."""
        self.is_counting = False
        """Whether, besides, the program has the word: events switch it off while they last."""
        self.count = 0
        self.seconds = 0.0
        self._counts: list[int] = []
        self._places: Counter[str] = Counter()

    def begin(self) -> None:
        """A step that is looked at begins."""
        self.is_open, self.count, self.seconds = True, 0, 0.0

    def seen_at(self, place: str) -> None:
        """Some values were taken at this line; it is told for a sample of them."""
        if place:
            self._places[place] += 1

    def end(self, look: Look) -> None:
        """The optimizer begins to step: what it reads itself is not the program's."""
        self.is_open = False
        self._counts.append(self.count)
        look.add(READ_TIME, self.seconds)
        look.state(READS_PER_STEP, round(median(self._counts)))
        if self._places:
            look.state(READ_PLACE, self._places.most_common(1)[0][0])
