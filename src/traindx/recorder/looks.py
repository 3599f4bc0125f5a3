"""Where probes write: the values of one looked-at step, or the means of one pass over validation data."""

from array import array
from collections.abc import Mapping, Sequence, Set
from typing import final

from traindx.quantities import INPUT_MAX, INPUT_MIN, PREDICTION_MAX, PREDICTION_MIN, TARGET_MAX, TARGET_MIN
from traindx.recorder.probes.types import Look, Where
from traindx.recorder.sight import Sight
from traindx.recorder.tape import Tape
from traindx.run import Event, EventKind, Fact, Quantity, Scalar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from traindx.recorder.sight import Value

_LEAST = frozenset(q.slug for q in (INPUT_MIN, PREDICTION_MIN, TARGET_MIN))
_NUMBERS = frozenset((float, int, bool))
_GREATEST = frozenset(q.slug for q in (INPUT_MAX, PREDICTION_MAX, TARGET_MAX))


class Notebook:
    """Facts and events of a stream, each written when it is new."""

    def __init__(self, tape: Tape, stream: int) -> None:
        self.tape = tape
        self.stream = stream
        self._facts: dict[str, Scalar] = {}
        self._sentences: set[tuple[EventKind, str]] = set()
        self._rows: dict[tuple[str, tuple[Where, ...]], array[float]] = {}

    def rows_for(self, slug: str, where: tuple[Where, ...]) -> "array[float]":
        """Where the numbers of one quantity of several layers are written."""
        rows = self._rows.get((slug, where))
        if rows is None:
            columns = tuple(self.tape.column(self.stream, slug, layer, part) for layer, part in where)
            rows = self._rows[slug, where] = self.tape.rows_of(self.tape.layout(columns))
        return rows

    def state(self, fact: Fact, value: Scalar) -> None:
        """State a fact, unless it was stated already."""
        if self._facts.get(fact.slug) != value:
            self._facts[fact.slug] = value
            self.tape.state(self.stream, fact.slug, value)

    def stated(self, fact: Fact) -> Scalar | None:
        """What was stated of a fact last; None before that."""
        return self._facts.get(fact.slug)

    def happened(self, event: Event) -> None:
        """Record an event, unless the same sentence was recorded."""
        if (event.kind, event.says) not in self._sentences:
            self._sentences.add((event.kind, event.says))
            self.tape.happened(self.stream, event)


class _Gathering(Look):
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
class TrainingLook(_Gathering):
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

    def write(self, notebook: Notebook, sight: Sight) -> None:
        """Hand the values to the tape, one row for each quantity."""
        self.write_statements(notebook)
        for slug, values in self._values.items():
            if values:
                rows = notebook.rows_for(slug, tuple(values))
                rows.append(self.step)
                rows.extend(floats(list(values.values()), sight))


@final
class ValidationLook(_Gathering):
    """The batches of one pass over validation data, taken together."""

    def __init__(self, step: int) -> None:
        super().__init__(step)
        self.samples = 1
        """How much the next values rank."""
        self._values: dict[tuple[str, str, str], list[tuple[Value, int]]] = {}

    def add(self, quantity: Quantity, value: "Value", *, layer: str = "", part: str = "") -> None:
        """Keep a number of one batch."""
        self._values.setdefault((quantity.slug, layer, part), []).append((value, self.samples))

    def write(self, notebook: Notebook, sight: Sight, left_out: Set[tuple[str, str]]) -> None:
        """Hand the means over the pass to the tape; smallest and largest values stay what they are."""
        self.write_statements(notebook)
        tape = notebook.tape
        for (slug, layer, part), weighed in self._values.items():
            if (slug, part) in left_out:
                continue
            column = tape.column(notebook.stream, slug, layer, part)
            values = floats([value for value, _ in weighed], sight)
            rows = tape.rows_of(tape.layout((column,)))
            rows.extend((self.step, _together(slug, values, [weight for _, weight in weighed])))


def floats(values: "list[Value]", sight: Sight) -> "Sequence[float]":
    """Numbers and tensors of one value as floats, waiting for a device at most once."""
    if _NUMBERS.issuperset(map(type, values)):
        return values
    tensors = [value for value in values if not isinstance(value, float | int)]
    read = iter(sight.numbers(tensors))
    return [value if isinstance(value, float | int) else next(read) for value in values]


def _together(slug: str, values: Sequence[float], weights: Sequence[int]) -> float:
    if slug in _LEAST:
        return min(values)
    if slug in _GREATEST:
        return max(values)
    return sum(value * weight for value, weight in zip(values, weights, strict=True)) / sum(weights)
