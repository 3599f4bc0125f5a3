"""Where batches come from: which data is trained on, which is only evaluated."""

import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from traindx.facts import LOADER_PLACE, TRAINING_SAMPLES, VALIDATION_SAMPLES
from traindx.recorder.probes.types import Purpose
from traindx.run import Fact, Scalar

TYPE_CHECKING = False
if TYPE_CHECKING:
    pass


@dataclass
class _Source:
    """One data set behind a data loader."""

    number: int
    """From 1; 0 stands for data that comes without a loader."""
    is_still: Callable[[], object]
    """The data set, while it is there: another may take its place in memory when it is gone."""
    kind: type
    passes: int = 0
    batch: int = 0
    """The batch of the pass that runs, from 1."""
    batches: int = 0
    """Batches in a pass; 0 where the loader does not say."""
    facts: Mapping[Fact, Scalar] = field(default_factory=dict)
    evaluated_at: int = 0
    """Backward passes that were seen when a batch of it came last."""


class Sources:
    """The data sets of a program, numbered; one that is made anew for every pass keeps its number."""

    def __init__(self) -> None:
        self.now = 0
        """The source of the batch at hand."""
        self.used = False
        """Whether a backward pass has used the batch at hand: what is computed after it is on other data."""
        self.identity = 0
        """The identity of the data set of the batch at hand."""
        self._known: dict[int, _Source] = {}
        """By number."""
        self._numbers: dict[int, int] = {}
        """Numbers by identity."""
        self._trained: set[int] = set()
        self._trained_last = 0
        self._backwards = 0
        self._epochs = 0
        """Passes over data that was trained on, the one that runs included."""

    def describe(self, source: object, facts: Mapping[Fact, Scalar]) -> None:
        """A loader tells of itself."""
        if self._found(source) is None:
            self._take_over(source, facts)
        self._entry(source).facts = facts

    def knows(self, source: object) -> bool:
        """Whether a data set has told of itself."""
        entry = self._found(source)
        return entry is not None and bool(entry.facts)

    def size_of(self, source: object) -> int:
        """Samples in a data set that has told of itself; 0 where unknown."""
        return _rows(self._found(source))

    @property
    def facts(self) -> Mapping[Fact, Scalar]:
        """What the loader of the training data says, and how much data there is to validate on."""
        stated: dict[Fact, Scalar] = {}
        for source, entry in self._known.items():
            if source in self._trained:
                stated.update(entry.facts)
            elif TRAINING_SAMPLES in entry.facts:
                stated.setdefault(VALIDATION_SAMPLES, entry.facts[TRAINING_SAMPLES])
        return stated

    def fetched(self, source: object, first: bool, batches: int) -> None:
        """A batch came."""
        entry = self._entry(source)
        if first or not entry.passes:
            entry.passes += 1
            entry.batch = 0
            self._epochs += entry.number in self._trained
        entry.batch += 1
        entry.batches, entry.evaluated_at = batches, self._backwards
        self.now, self.identity, self.used = entry.number, id(source), False

    def fetched_next(self) -> None:
        """Another batch of the pass at hand came."""
        self._known[self.now].batch += 1
        self.used = False

    def trained(self) -> bool:
        """A backward pass uses the batch at hand; true where its data was not known to be trained on."""
        new = not self.used and self.now not in self._trained
        if new:
            self._trained.add(self.now)
            self._epochs += 1
        self._trained_last = self.now
        self._backwards += 1
        self.used = True
        return new

    @property
    def evaluated(self) -> int:
        """The source of what is evaluated now."""
        return 0 if self.used else self.now

    @property
    def is_foreign(self) -> bool:
        """Whether the batch at hand is of data that no training step used, while another's was used."""
        return bool(self._trained) and not self.used and self.now not in self._trained

    @property
    def evaluated_rows(self) -> int:
        """Rows of the data set of the batch at hand; 0 where unknown."""
        return 0 if self.used else _rows(self._known.get(self.now))

    @property
    def passed(self) -> int:
        """Batches of the pass at hand."""
        return self._known[self.now].batch if self.now in self._known else 0

    def purpose(self, gradients: bool) -> Purpose | None:
        """What a pass through the model is for; None for training data without gradients."""
        if self.is_foreign and self.now:
            return Purpose.VALIDATION
        if gradients:
            return Purpose.TRAINING
        return None if self.now in self._trained and self.now and not self.used else Purpose.VALIDATION

    @property
    def epoch(self) -> float:
        """Passes over the training data so far; its fraction where the length of a pass is known."""
        entry = self._known.get(self.now)
        if entry is None:
            return 0.0
        return max(self._epochs - 1, 0) + (entry.batch / entry.batches if entry.batches else 0.0)

    @property
    def batches(self) -> int:
        """Batches in a pass over the data that was trained on last; 0 where unknown."""
        entry = self._known.get(self._trained_last)
        return entry.batches if entry else 0

    def _found(self, source: object) -> _Source | None:
        """What is known of a data set."""
        entry = self._known.get(self._numbers.get(id(source), 0))
        return entry if entry is not None and entry.is_still() is source else None

    def _entry(self, source: object) -> _Source:
        entry = self._found(source)
        if entry is None:
            number = len(self._known) + 1
            entry = self._known[number] = _Source(number, _held(source), type(source))
            self._numbers[id(source)] = number
        return entry

    def _take_over(self, source: object, facts: Mapping[Fact, Scalar]) -> None:
        """Let a new data set stand for an earlier one, where one line makes the same one for every pass."""
        if LOADER_PLACE not in facts:
            return
        for entry in self._known.values():
            if entry.kind is type(source) and entry.facts == facts and self._is_over(entry):
                entry.is_still = _held(source)
                self._numbers[id(source)] = entry.number
                return

    def _is_over(self, entry: _Source) -> bool:
        """Whether a data set is gone, or was evaluated before training went on: a framework may keep it."""
        if entry.number in self._trained or not entry.passes:
            return TRAINING_SAMPLES in entry.facts and entry.is_still() is None
        return entry.is_still() is None or entry.evaluated_at < self._backwards


def _rows(entry: _Source | None) -> int:
    size = entry.facts.get(TRAINING_SAMPLES, 0) if entry else 0
    return size if isinstance(size, int) else 0


def _held(source: object) -> Callable[[], object]:
    """The source itself, without keeping it alive where that can be had."""
    try:
        return weakref.ref(source)
    except TypeError:  # a list or a tuple of samples
        return lambda: source
