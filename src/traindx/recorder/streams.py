"""Streams: steps of one optimizer, or of several that step together, and which belongs to which."""

import weakref
from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from traindx import quantities as q
from traindx.facts import OPTIMIZER_PLACE
from traindx.recorder.model import Model
from traindx.recorder.recording_writer import RecordingWriter
from traindx.recorder.sampling import Notebook, floats
from traindx.recorder.schedule import Schedule
from traindx.run import Fact, Quantity, Scalar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from torch import Tensor

    from traindx.recorder.hooks.torch_backend import TorchBackend
    from traindx.recorder.probes.types import Value


_TIMES = (q.WALL_TIME, q.STEP_TIME, q.BACKWARD_TIME, q.UPDATE_TIME)
_LOADER_TIMES = (q.DATA_TIME, q.FORWARD_TIME, q.OTHER_TIME, q.EPOCH)


@dataclass(frozen=True)
class Holder:
    """How to ask an optimizer of some framework what it holds."""

    parameters: "Callable[[object], Sequence[Tensor]]"
    rates: Callable[[object], Sequence[float]]
    """The learning rate of each parameter group; read at every step."""
    settings: Callable[[object], Mapping[Fact, Scalar]]


class Stream:
    """Steps of one optimizer and of those that step beside it."""

    def __init__(
        self, number: int, notebook: Notebook, holder: object, kind: Holder, schedule: Schedule
    ) -> None:
        self.number = number
        self.notebook = notebook
        self.step = 0
        self.schedule = schedule
        self.successor = self
        """The stream that stepped after this one the last time: a look begins before the forward pass."""
        self.holders: list[tuple[weakref.ref[object], Holder]] = [(weakref.ref(holder), kind)]
        self._rates_differ = False
        self._rows: dict[tuple[int, bool, bool], array[float]] = {}
        self._waiting: list[tuple[array[float], list[Value]]] = []

    @property
    def writer(self) -> RecordingWriter:
        """Where the stream is written."""
        return self.notebook.writer

    def is_first(self, holder: object) -> bool:
        """Whether the stream is counted by this optimizer's steps."""
        return bool(self.holders) and self.holders[0][0]() is holder

    def has(self, holder: object) -> bool:
        """Whether an optimizer steps with this stream."""
        return any(ref() is holder for ref, _ in self.holders)

    def join(self, holder: object, kind: Holder) -> None:
        """Another optimizer steps right after the first, on the same gradients."""
        self.holders.append((weakref.ref(holder), kind))

    def part_with(self, holder: object) -> None:
        """An optimizer turns out to step on gradients of its own."""
        self.holders = [entry for entry in self.holders if entry[0]() is not holder]

    def held(self) -> "list[Tensor]":
        """The parameters of all its optimizers."""
        living = [(holder, kind) for ref, kind in self.holders if (holder := ref()) is not None]
        return [value for holder, kind in living for value in kind.parameters(holder)]

    def rates(self) -> list[float]:
        """The learning rates of all its parameter groups; one, as long as they are all the same."""
        rates = [
            rate for ref, kind in self.holders if (holder := ref()) is not None for rate in kind.rates(holder)
        ]
        if len(rates) > 1 and not self._rates_differ:
            self._rates_differ = any(rate != rates[0] for rate in rates)
        return rates if self._rates_differ else rates[:1]

    def write_step(
        self, loss: "Value | None", rates: Sequence[float], times: Sequence[float], loader: Sequence[float]
    ) -> None:
        """Write a plain step: loss, rates, times, and the times that only a data loader tells."""
        rows = self.rows_for(len(rates), has_loss=loss is not None, has_loader=bool(loader))
        if loss is None or isinstance(loss, float):
            head = (self.step,) if loss is None else (self.step, loss)
            rows.extend((*head, *rates, *times, *loader))
        else:
            self._waiting.append((rows, [self.step, loss, *rates, *times, *loader]))

    def rows_for(self, rates: int, *, has_loss: bool, has_loader: bool) -> "array[float]":
        """Where plain steps of a kind are written."""
        key = (rates, has_loss, has_loader)
        rows = self._rows.get(key)
        if rows is None:
            rows = self._rows[key] = self._layout(*key)
        return rows

    def write_norms(self, norm: "Value", limit: float | None) -> None:
        """Write the norm of the whole gradient, and what clipping to a limit leaves of it."""
        quantities = (q.GRADIENT_NORM,) if limit is None else (q.GRADIENT_NORM, q.CLIPPED_GRADIENT_NORM)
        rows = self.writer.rows_of(self.writer.layout(self._columns(quantities)))
        if limit is None:
            values: list[Value] = [self.step, norm]
        else:
            # Clipping scales only down; NaN stays NaN.
            clipped = (limit if norm > limit else norm) if isinstance(norm, float) else norm.clamp(max=limit)
            values = [self.step, norm, clipped]
        if all(isinstance(value, float | int) for value in values):
            rows.extend(values)
        else:
            self._waiting.append((rows, values))

    def write_value(self, quantity: Quantity, value: float, part: str = "") -> None:
        """Write a number of the step that is not one of every step."""
        self.notebook.rows_for(quantity.slug, (("", part),)).extend((self.step, value))

    def settle(self, backend: "TorchBackend") -> None:
        """Read what was still on a device."""
        if not self._waiting:
            return
        together = [value for _, values in self._waiting for value in values]
        read = iter(floats(together, backend))
        for rows, values in self._waiting:
            rows.extend([next(read) for _ in values])
        self._waiting.clear()

    def _layout(self, rates: int, has_loss: bool, has_loader: bool) -> "array[float]":
        loss = (q.TRAIN_LOSS,) if has_loss else ()
        parts = [""] if rates == 1 else [f"group {number + 1}" for number in range(rates)]
        column = self.writer.column
        columns = (
            *self._columns(loss),
            *(column(self.number, q.LEARNING_RATE.slug, "", part) for part in parts[:rates]),
            *self._columns(_TIMES),
            *(self._columns(_LOADER_TIMES) if has_loader else ()),
        )
        return self.writer.rows_of(self.writer.layout(columns))

    def _columns(self, quantities: Sequence[Quantity]) -> tuple[int, ...]:
        return tuple(self.writer.column(self.number, quantity.slug) for quantity in quantities)


class Streams:
    """The optimizers of a program, made and stepping."""

    def __init__(self, writer: RecordingWriter, model: Model, share: float, every: int | None) -> None:
        self.current: Stream | None = None
        self._writer, self._model = writer, model
        self._share, self._every = share, every
        self._of: dict[int, Stream] = {}
        self.all: list[Stream] = []
        self._begun = 0
        self._stepped = False
        """Whether an optimizer has stepped, even one that we did not see being made."""
        self._parameters: dict[int, set[int]] = {}
        self.by_hand = Holder(
            parameters=lambda _: [value for value in model.parameters() if value.requires_grad],
            rates=lambda _: [],
            settings=lambda _: {},
        )
        """For a program that changes its parameters without an optimizer."""
        self._made: list[tuple[weakref.ref[object], Holder, str]] = []

    def made(self, holder: object, kind: Holder, place: str) -> None:
        """The program made an optimizer."""
        self._made = [entry for entry in self._made if entry[0]() is not None]
        self._made.append((weakref.ref(holder), kind, place))
        stepped = any(stream.step for stream in self.all)
        if stepped and not any(self._model.owns(value) for value in kind.parameters(holder)):
            self._model.forget()

    @property
    def step(self) -> int:
        """Steps of the stream that stepped last."""
        return self.current.step if self.current else 0

    @property
    def any_made(self) -> bool:
        """Whether the program has made an optimizer at all."""
        return bool(self._made) or self._stepped

    def settings_made(self) -> dict[Fact, Scalar]:
        """What the optimizer that was made last says of itself."""
        facts: dict[Fact, Scalar] = {}
        for ref, kind, location in self._made:
            holder = ref()
            if holder is not None:
                facts = {**kind.settings(holder), **({OPTIMIZER_PLACE: location} if location else {})}
        return facts

    def held_by_any(self) -> "list[Tensor]":
        """What all living optimizers hold."""
        return [
            value
            for ref, kind, _ in self._made
            if (holder := ref()) is not None
            for value in kind.parameters(holder)
        ]

    def stepping(self, holder: object, kind: Holder, *, after_backward: bool) -> Stream | None:
        """The stream whose step begins; None where an optimizer only steps beside another."""
        self._stepped = self._stepped or kind is not self.by_hand
        stream = self._of.get(id(holder))
        if stream is not None and stream.is_first(holder):
            return stream
        if stream is not None and stream.has(holder):
            if not after_backward:
                return None
            stream.part_with(holder)
        elif not after_backward and self.current is not None:
            self.current.join(holder, kind)
            self._of[id(holder)] = self.current
            return None
        return self._begin(holder, kind)

    def follow(self, stream: Stream) -> None:
        """A stream steps after the one that stepped last."""
        if self.current is not None:
            self.current.successor = stream
        self.current = stream

    def unfinished(self, holder: object) -> Stream:
        """A stream for a program that ends before its first step."""
        self.current = self._begin(holder, self.by_hand)
        return self.current

    def withdraw(self) -> None:
        """Forget the stream that began last: it never stepped."""
        self.all.pop()
        self.current = None

    def _begin(self, holder: object, kind: Holder) -> Stream:
        self._begun += 1
        number = self._begun
        held = kind.parameters(holder)
        identities = {id(value) for value in held}
        shares = [known for known, others in self._parameters.items() if identities & others]
        self._parameters[number] = identities
        self._writer.begin(number, self._name(holder, list(held)), shares)
        notebook = Notebook(self._writer, number)
        stream = Stream(number, notebook, holder, kind, Schedule(self._share, self._every))
        self.all.append(stream)
        self._of[id(holder)] = stream
        for fact, value in kind.settings(holder).items():
            notebook.state(fact, value)
        for ref, _, location in self._made:
            if location and ref() is holder:
                notebook.state(OPTIMIZER_PLACE, location)
        return stream

    def _name(self, holder: object, held: "list[Tensor]") -> str:
        """The class of the one root that owns what is trained, else that of the optimizer."""
        wanted = {id(value) for value in held}
        owners = [root for root in self._model.roots if any(id(p) in wanted for p in root.parameters())]
        return type(owners[0]).__name__ if len(owners) == 1 else type(holder).__name__
