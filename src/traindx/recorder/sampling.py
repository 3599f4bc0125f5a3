"""Calling the probes at a sampled step, and where they write: values of a step, or means of a pass."""

from array import array
from collections.abc import Callable, Mapping, Sequence, Set
from types import FunctionType
from typing import Concatenate, ParamSpec, final

from traindx.quantities import (
    INPUT_MAX,
    INPUT_MIN,
    PREDICTION_MAX,
    PREDICTION_MIN,
    SEEN_SHARE,
    TARGET_MAX,
    TARGET_MIN,
)
from traindx.recorder.probes.types import EVALUATED_TRAINING, VALIDATION, LossCall, Probe, Snapshot, Where
from traindx.recorder.recording_writer import RecordingWriter
from traindx.run import Event, EventKind, Fact, Quantity, Scalar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from traindx.recorder.hooks.torch_backend import TorchBackend
    from traindx.recorder.probes.types import Value

P = ParamSpec("P")
_LEAST = frozenset(q.slug for q in (INPUT_MIN, PREDICTION_MIN, TARGET_MIN))
_SEEN, _SEEN_TRAINING = ((SEEN_SHARE.slug, "", part) for part in (VALIDATION, EVALUATED_TRAINING))
_NUMBERS = frozenset((float, int, bool))
_GREATEST = frozenset(q.slug for q in (INPUT_MAX, PREDICTION_MAX, TARGET_MAX))


class Notebook:
    """Facts and events of a stream, each written when it is new."""

    def __init__(self, writer: RecordingWriter, stream: int) -> None:
        self.writer = writer
        self.stream = stream
        self._facts: dict[str, Scalar] = {}
        self._sentences: set[tuple[EventKind, str]] = set()
        self._rows: dict[tuple[str, tuple[Where, ...]], array[float]] = {}

    def rows_for(self, slug: str, where: tuple[Where, ...]) -> "array[float]":
        """Where the numbers of one quantity of several layers are written."""
        rows = self._rows.get((slug, where))
        if rows is None:
            columns = tuple(self.writer.column(self.stream, slug, layer, part) for layer, part in where)
            rows = self._rows[slug, where] = self.writer.rows_of(self.writer.layout(columns))
        return rows

    def state(self, fact: Fact, value: Scalar) -> None:
        """State a fact, unless it was stated already."""
        if self._facts.get(fact.slug) != value:
            self._facts[fact.slug] = value
            self.writer.state(self.stream, fact.slug, value)

    def stated(self, fact: Fact) -> Scalar | None:
        """What was stated of a fact last; None before that."""
        return self._facts.get(fact.slug)

    def stepped_aside(self, what: str, error: Exception, step: int | None) -> None:
        """Record that something of ours failed and is left out from here on."""
        says = f"{what} failed ({type(error).__name__}: {error}) and was switched off"
        self.happened(Event(EventKind.STEPPED_ASIDE, says, step))

    def happened(self, event: Event) -> None:
        """Record an event, unless the same sentence was recorded."""
        if (event.kind, event.says) not in self._sentences:
            self._sentences.add((event.kind, event.says))
            self.writer.happened(self.stream, event)


class _Statements(Snapshot):
    """Facts and events, until it is known which stream they belong to."""

    def __init__(self, step: int) -> None:
        self.step = step
        self._facts: dict[Fact, Scalar] = {}
        self._events: list[Event] = []

    def state(self, fact: Fact, value: Scalar) -> None:
        """State a fact of the training."""
        self._facts[fact] = value

    def happened(
        self, kind: EventKind, says: str, *, layer: str = "", operation: str = "", batch: int | None = None
    ) -> None:
        """Record something that happened."""
        self._events.append(Event(kind, says, self.step, layer, operation, batch))

    def write_statements(self, notebook: Notebook) -> None:
        """Hand over facts and events."""
        for fact, value in self._facts.items():
            notebook.state(fact, value)
        for event in self._events:
            notebook.happened(event)


@final
class TrainingSnapshot(_Statements):
    """The values of one step, written together when the step is over."""

    def __init__(self, step: int) -> None:
        super().__init__(step)
        self._values: dict[str, dict[Where, Value]] = {}

    def add(self, quantity: Quantity, value: "Value", *, layer: str = "", part: str = "") -> None:
        """Keep a number; of several batches behind one step, the first speaks."""
        self._values.setdefault(quantity.slug, {}).setdefault((layer, part), value)

    def add_all(self, quantity: Quantity, where: Sequence[Where], values: "Sequence[Value]") -> None:
        """Keep a number for each of several layers."""
        known = self._values.setdefault(quantity.slug, {})
        fresh = dict(zip(where, values, strict=True))
        if len(fresh) == len(where) and known.keys().isdisjoint(fresh):
            known.update(fresh)
        else:
            super().add_all(quantity, where, values)

    def of(self, quantity: Quantity) -> "Mapping[Where, Value]":
        """What was kept of a quantity so far."""
        return self._values.get(quantity.slug, {})

    def write(self, notebook: Notebook, backend: "TorchBackend") -> None:
        """Hand the values to the writer, one row for each quantity."""
        self.write_statements(notebook)
        for slug, values in self._values.items():
            if values:
                rows = notebook.rows_for(slug, tuple(values))
                rows.append(self.step)
                rows.extend(floats(list(values.values()), backend))


@final
class ValidationSnapshot(_Statements):
    """The batches of one pass over validation data, taken together."""

    def __init__(self, step: int, *, is_mixed: bool = False) -> None:
        super().__init__(step)
        self.samples = 1
        """How much the next values weigh."""
        self.is_mixed = is_mixed
        """Whether its batches may be of several data sets, as without a loader."""
        self.beside_others = False
        """Whether other data was evaluated before training went on."""
        self._values: dict[tuple[str, str, str], list[tuple[Value, int]]] = {}

    def add(self, quantity: Quantity, value: "Value", *, layer: str = "", part: str = "") -> None:
        """Keep a number of one batch."""
        self._values.setdefault((quantity.slug, layer, part), []).append((value, self.samples))

    def write(self, notebook: Notebook, backend: "TorchBackend", left_out: Set[tuple[str, str]]) -> None:
        """Hand the means over the pass to the writer; smallest and largest values stay what they are."""
        self.write_statements(notebook)
        self._tell_training_rows_apart()
        for (slug, layer, part), weighed in self._values.items():
            if (slug, part) in left_out:
                continue
            values = floats([value for value, _ in weighed], backend)
            mean = _together(slug, values, [weight for _, weight in weighed])
            notebook.rows_for(slug, ((layer, part),)).extend((self.step, mean))

    @property
    def training_batches(self) -> int | None:
        """How many batches of the training set were looked at, if no other was; None where none was."""
        if _SEEN in self._values:
            return 0
        return len(self._values[_SEEN_TRAINING]) if _SEEN_TRAINING in self._values else None

    def _tell_training_rows_apart(self) -> None:
        """Leave out the shares of batches of the training set, where they stand beside validation data."""
        training_shares, others = self._values.pop(_SEEN_TRAINING, []), self._values.get(_SEEN, [])
        if (
            training_shares
            and self.beside_others
            and not self.is_mixed
            and len(training_shares) >= len(others)
        ):
            self._values.pop(_SEEN, None)
        elif training_shares and not (self.is_mixed if others else self.beside_others):
            # Some batches of one data set, or all that is evaluated: rows that leaked.
            self._values.setdefault(_SEEN, []).extend(training_shares)


def floats(values: "list[Value]", backend: "TorchBackend") -> "Sequence[float]":
    """Numbers and tensors of one value as floats, waiting for a device at most once."""
    if _NUMBERS.issuperset(map(type, values)):
        return values
    tensors = [value for value in values if not isinstance(value, float | int)]
    read = iter(backend.numbers(tensors))
    return [value if isinstance(value, float | int) else next(read) for value in values]


def _together(slug: str, values: Sequence[float], weights: Sequence[int]) -> float:
    if slug in _LEAST:
        return min(values)
    if slug in _GREATEST:
        return max(values)
    return sum(value * weight for value, weight in zip(values, weights, strict=True)) / sum(weights)


class Sampling:
    """The look at the step in the making, if there is one, and the probes that answer."""

    def __init__(self, probes: Sequence[Probe], process: Notebook) -> None:
        self.snapshot: TrainingSnapshot | None = TrainingSnapshot(1)
        self.active = True
        """Whether modules are watched: during a look, and for the first batches of a validation pass."""
        self.follows = False
        """Whether this look only goes with the one before."""
        self.thorough = True
        """Whether what seldom changes is told as well."""
        self._process = process
        moments = {name: value for name, value in vars(Probe).items() if isinstance(value, FunctionType)}
        self._asked: dict[str, list[Probe]] = {
            name: [probe for probe in probes if getattr(type(probe), name) is not usual]
            for name, usual in moments.items()
        }
        alone, together = self._asked["module_returns"], self._asked["modules_returned"]
        self._asked["modules_returned"] = [probe for probe in probes if probe in alone or probe in together]

    def begin(self, step: int, *, follows: bool = False, thorough: bool = True) -> None:
        """Look at a step."""
        self.snapshot = TrainingSnapshot(step)
        # What follows compares gradients; its forward pass is of no interest.
        self.active = not follows
        self.follows = follows
        self.thorough = thorough and not follows

    def end(self) -> None:
        """Look no longer."""
        self.snapshot = None
        self.active = False

    def tell(
        self,
        moment: "Callable[Concatenate[Probe, Snapshot, P], None]",
        snapshot: Snapshot,
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> None:
        """Tell probes that answer to a moment, such as `Probe.batch_enters`; one that fails is left out."""
        self._tell(self._asked[moment.__name__], moment.__name__, snapshot, *args, **kwargs)

    def tell_whole_passes(self, snapshot: Snapshot, call: LossCall) -> None:
        """Tell of a loss only those probes that need every loss of a pass."""
        asked = [probe for probe in self._asked["loss_is_computed"] if probe.whole_passes]
        self._tell(asked, "loss_is_computed", snapshot, call)

    def _tell(
        self, asked: Sequence[Probe], moment: str, snapshot: Snapshot, *args: object, **kwargs: object
    ) -> None:
        following = self.follows and snapshot is self.snapshot
        for probe in asked:
            if following and not probe.follows:
                continue
            try:
                getattr(probe, moment)(snapshot, *args, **kwargs)
            except Exception as error:  # a probe of another package may fail in any way
                self._asked = {m: [p for p in probes if p is not probe] for m, probes in self._asked.items()}
                self._process.stepped_aside(f"probe {type(probe).__name__}", error, snapshot.step)
