"""Where batches come from: which data is trained on, which is only evaluated.

A pass over validation data has losses and looks at its batches; it is over when training goes on.
"""

import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from traindx.facts import LOADER_PLACE, TRAINING_SAMPLES, VALIDATION_SAMPLES
from traindx.quantities import VAL_LOSS
from traindx.recorder.loop_facts import LoopFacts
from traindx.recorder.probes.types import Purpose
from traindx.recorder.sampling import Notebook, ValidationSnapshot, floats
from traindx.recorder.schedule import one_in
from traindx.run import Fact, Scalar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from traindx.recorder.hooks.torch_backend import TorchBackend
    from traindx.recorder.probes.types import Value


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
        entry = self._found(source)
        size = entry.facts.get(TRAINING_SAMPLES, 0) if entry else 0
        return size if isinstance(size, int) else 0

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
        entry.batches = batches
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
        """Let a new data set stand for one that is gone, where one line makes the same one for every pass."""
        if LOADER_PLACE not in facts or TRAINING_SAMPLES not in facts:
            return
        for entry in self._known.values():
            if entry.kind is type(source) and entry.facts == facts and entry.is_still() is None:
                entry.is_still = _held(source)
                self._numbers[id(source)] = entry.number
                return


def _held(source: object) -> Callable[[], object]:
    """The source itself, without keeping it alive where that can be had."""
    try:
        return weakref.ref(source)
    except TypeError:  # a list or a tuple of samples
        return lambda: source


_STRIDE = 7
"""From pass to pass, how far the batch that is looked at moves on."""


@dataclass
class _Pass:
    """What the batches of one data source gave, by loss function."""

    step: int
    """The step before it."""
    totals: "dict[str, list[tuple[Value, int]]]" = field(default_factory=dict)
    snapshot: ValidationSnapshot | None = None
    batches: int = 0
    train_modes: list[bool] = field(default_factory=list)
    gradients: list[bool] = field(default_factory=list)
    drops: list[bool] = field(default_factory=list)


class Validation:
    """The passes since the last training step; each data source has a name of its own."""

    def __init__(self, share: float) -> None:
        self._apart = one_in(share)
        self._passes: dict[int, _Pass] = {}
        self._parts: dict[int, dict[int, str]] = {}
        """Per stream, the names of its data sources."""
        self._past: dict[int, tuple[int, int]] = {}
        """Per source, the passes that are over and the batches of the last."""
        self.reported: set[tuple[str, str]] = set()
        """Quantities and parts that a framework reported itself since a pass was written: it knows better."""

    @property
    def pending(self) -> bool:
        """Whether anything was seen since training last went on."""
        return bool(self._passes)

    def add(self, source: int, step: int, function: str, value: "Value", samples: int) -> None:
        """Count the loss of a batch."""
        one = self._passes.setdefault(source, _Pass(step))
        one.totals.setdefault(function, []).append((value, samples))
        one.batches += 1

    def drop(self, source: int) -> None:
        """Forget a pass that was none."""
        self._passes.pop(source, None)

    def note(
        self,
        source: int,
        step: int,
        *,
        in_train_mode: bool | None = None,
        with_gradient: bool | None = None,
        drops: bool | None = None,
    ) -> None:
        """Note how a batch is evaluated."""
        one = self._passes.setdefault(source, _Pass(step))
        if in_train_mode is not None:
            one.train_modes.append(in_train_mode)
        if with_gradient is not None:
            one.gradients.append(with_gradient)
        if drops is not None:
            one.drops.append(drops)

    def snapshot(self, source: int, step: int) -> ValidationSnapshot:
        """Where probes write about the pass that runs."""
        one = self._passes.setdefault(source, _Pass(step))
        if one.snapshot is None:
            one.snapshot = ValidationSnapshot(step)
        return one.snapshot

    def is_chosen(self, source: int, ahead: int = 0) -> bool:
        """Whether the batch at hand is looked at in any case: another one in each pass."""
        number, length = self._past.get(source, (0, 1))
        return self._batch(source) + ahead == 1 + (_STRIDE * number) % length

    def is_looked_at(self, source: int) -> bool:
        """Whether the loss of the batch at hand is looked at: in long passes more than one is."""
        return self.is_chosen(source) or self._batch(source) % self._apart == 0

    def _batch(self, source: int) -> int:
        return self._passes[source].batches if source in self._passes else 0

    def write(
        self, notebook: Notebook, function: str, backend: "TorchBackend", loop_facts: LoopFacts
    ) -> None:
        """Write the passes that are over: the mean over samples of the loss that training uses."""
        for source, one in self._passes.items():
            parts = self._parts.setdefault(notebook.stream, {})
            part = parts.setdefault(source, f"data {len(parts) + 1}" if parts else "")
            weighed = one.totals.get(function) or next(iter(one.totals.values()), [])
            samples = sum(count for _, count in weighed)
            if weighed:
                loop_facts.validated(one.train_modes, one.gradients, one.drops)
            if samples and (VAL_LOSS.slug, part) not in self.reported:
                values = floats([value for value, _ in weighed], backend)
                total = sum(value * count for value, (_, count) in zip(values, weighed, strict=True))
                notebook.rows_for(VAL_LOSS.slug, (("", part),)).extend((one.step, total / samples))
            # Statistics of a second set of data would pass for those of the first.
            # Without a loader and a loss it may be any pass without gradients, such as a teacher's.
            if one.snapshot is not None and not part and (weighed or source):
                one.snapshot.write(notebook, backend, self.reported)
            number, _ = self._past.get(source, (0, 1))
            self._past[source] = (number + 1, max(one.batches, 1))
        self._passes.clear()
        self.reported.clear()
