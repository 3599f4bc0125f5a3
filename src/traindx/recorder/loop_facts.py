"""What the loop does: whether its numbers mean what they say, how often it reads values of tensors."""

from collections import Counter
from statistics import median

from traindx import facts as f
from traindx.quantities import READ_TIME, TEST_ACCURACY, TRAIN_ACCURACY, VAL_ACCURACY
from traindx.recorder.model import Model
from traindx.recorder.probes.types import Snapshot
from traindx.recorder.recording_writer import LayerRecord
from traindx.recorder.sampling import Notebook
from traindx.recorder.schedule import Schedule
from traindx.run import Fact, Quantity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from torch import Tensor

    from traindx.recorder.hooks.torch_backend import TorchBackend


_LOOKS_BEFORE_JUDGING = 2
"""A parameter may miss one batch, such as an expert that was not chosen."""


class Share:
    """How often something was so, of the times it was looked at."""

    def __init__(self) -> None:
        self.seen = 0
        self.times = 0

    def add(self, was_so: bool) -> None:
        """Count once more."""
        self.seen += was_so
        self.times += 1

    @property
    def value(self) -> float:
        """The share so far."""
        return self.seen / self.times


_SHARES = (
    f.TRAINED_IN_EVAL_MODE,
    f.VALIDATED_IN_TRAIN_MODE,
    f.VALIDATED_WITH_GRADIENT,
    f.DROPOUT_IN_VALIDATION,
)
"""Facts that are shares of batches."""


class LoopFacts:
    """Modes of the model, counted where they are looked at."""

    def __init__(self) -> None:
        self._shares = {fact: Share() for fact in _SHARES}
        self._looks = 0
        self._trainable = 0
        self._written: dict[int, list[LayerRecord]] = {}

    def count(self, fact: Fact, was_so: bool) -> None:
        """Count once more how something was."""
        self._shares[fact].add(was_so)

    def write(self, notebook: Notebook) -> None:
        """State what was seen so far."""
        for fact, share in self._shares.items():
            if share.times:
                notebook.state(fact, round(share.value, 4))

    def is_news(self, model: Model, schedule: Schedule) -> bool:
        """Whether a look is thorough, or the first since parameters were frozen or unfrozen."""
        before, self._trainable = self._trainable, sum(value.requires_grad for value in model.parameters())
        return schedule.is_thorough or self._trainable != before

    def write_parameters(
        self, notebook: Notebook, model: Model, held: "list[Tensor]", held_by_any: "list[Tensor]"
    ) -> None:
        """State which parameters cannot learn, and write the table of all."""
        self._looks += 1
        if not held or (self._written.get(notebook.stream) and not model.parameters()):
            # The program has let go of its optimizer or its model: what was known of them counts.
            return
        records = model.records([*held, *(value for value in held_by_any if model.owns(value))])
        if self._written.get(notebook.stream) != records:
            self._written[notebook.stream] = records
            notebook.writer.layers(notebook.stream, records)
        owned = {id(value) for value in model.parameters()}
        if not owned or self._looks < _LOOKS_BEFORE_JUDGING:
            return
        mine = {parameter.name for parameter in model.held(held)}
        strays = {parameter.name for parameter in model.held(held) if not model.owns(parameter.value)}
        counts = {
            f.FROZEN_PARAMETERS: sum(not record.trainable for record in records),
            f.UNOPTIMIZED_PARAMETERS: sum(record.trainable and not record.optimized for record in records),
            f.STALE_PARAMETERS: sum(
                record.trainable and record.name in strays and not record.gradient for record in records
            ),
            f.GRADIENTLESS_PARAMETERS: sum(
                record.name in mine and record.trainable and not record.gradient for record in records
            ),
        }
        for fact, number in counts.items():
            notebook.state(fact, number)


_ACCURACIES = frozenset((TRAIN_ACCURACY, VAL_ACCURACY, TEST_ACCURACY))
_MANY_NUMBERS = 20
"""Different targets; labels in between, such as 0.5, are fewer."""


def doubt_accuracy(notebook: Notebook, quantity: Quantity, backend: "TorchBackend") -> None:
    """State where an accuracy is reported of targets that are real numbers."""
    different = notebook.stated(f.TARGET_VALUES)
    many = isinstance(different, int) and different >= _MANY_NUMBERS
    if quantity in _ACCURACIES and many and notebook.stated(f.TARGETS_ARE_WHOLE) is False:
        notebook.state(f.ACCURACY_OF_NUMBERS, True)
        notebook.state(f.METRIC_PLACE, backend.place())


COST = 0.5e-6
"""Seconds that counting one takes, measured on a machine of 2023."""


class HostSyncs:
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

    def end(self, snapshot: Snapshot) -> None:
        """The optimizer begins to step: what it reads itself is not the program's."""
        self.is_open = False
        self._counts.append(self.count)
        snapshot.add(READ_TIME, self.seconds)
        snapshot.state(f.READS_PER_STEP, round(median(self._counts)))
        if self._places:
            snapshot.state(f.READ_PLACE, self._places.most_common(1)[0][0])
