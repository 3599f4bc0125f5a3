"""What one optimizer trains, or several that step together: its steps, its schedule, its plain rows."""

import weakref
from array import array
from collections.abc import Sequence

from traindx.quantities import (
    BACKWARD_TIME,
    CLIPPED_GRADIENT_NORM,
    DATA_TIME,
    EPOCH,
    FORWARD_TIME,
    GRADIENT_NORM,
    LEARNING_RATE,
    OTHER_TIME,
    STEP_TIME,
    TRAIN_LOSS,
    UPDATE_TIME,
    WALL_TIME,
)
from traindx.recorder.looks import Notebook, floats
from traindx.recorder.schedule import Schedule
from traindx.recorder.sight import Holder, Sight
from traindx.recorder.tape import Tape
from traindx.run import Quantity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from torch import Tensor

    from traindx.recorder.sight import Value

_TIMES = (WALL_TIME, STEP_TIME, BACKWARD_TIME, UPDATE_TIME)
_LOADER_TIMES = (DATA_TIME, FORWARD_TIME, OTHER_TIME, EPOCH)


class Stream:
    """Steps of one optimizer and of those that step beside it."""

    def __init__(
        self, number: int, notebook: Notebook, holder: object, kind: Holder, every: int | None
    ) -> None:
        self.number = number
        self.notebook = notebook
        self.step = 0
        self.schedule = Schedule(every)
        self.successor = self
        """The stream that stepped after this one the last time: a look begins before the forward pass."""
        self.norm_every = 1
        self.holders: list[tuple[weakref.ref[object], Holder]] = [(weakref.ref(holder), kind)]
        self._rates_differ = False
        self._rows: dict[tuple[int, bool, bool], array[float]] = {}
        self._waiting: list[tuple[array[float], list[Value]]] = []

    @property
    def tape(self) -> Tape:
        """Where the stream is written."""
        return self.notebook.tape

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
        self.holders = [one for one in self.holders if one[0]() is not holder]

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
        quantities = (GRADIENT_NORM,) if limit is None else (GRADIENT_NORM, CLIPPED_GRADIENT_NORM)
        rows = self.tape.rows_of(self.tape.layout(self._columns(quantities)))
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

    def settle(self, sight: Sight) -> None:
        """Read what was still on a device."""
        if not self._waiting:
            return
        together = [value for _, values in self._waiting for value in values]
        read = iter(floats(together, sight))
        for rows, values in self._waiting:
            rows.extend([next(read) for _ in values])
        self._waiting.clear()

    def _layout(self, rates: int, has_loss: bool, has_loader: bool) -> "array[float]":
        loss = (TRAIN_LOSS,) if has_loss else ()
        parts = [""] if rates == 1 else [f"group {number + 1}" for number in range(rates)]
        column = self.tape.column
        columns = (
            *self._columns(loss),
            *(column(self.number, LEARNING_RATE.slug, "", part) for part in parts[:rates]),
            *self._columns(_TIMES),
            *(self._columns(_LOADER_TIMES) if has_loader else ()),
        )
        return self.tape.rows_of(self.tape.layout(columns))

    def _columns(self, quantities: Sequence[Quantity]) -> tuple[int, ...]:
        return tuple(self.tape.column(self.number, quantity.slug) for quantity in quantities)
