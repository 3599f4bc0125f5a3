"""Plain steps in a row: only what a step must have is kept, by the shortest way.

Between two looks nothing is decided: which stream steps and what is due are settled when it opens, and
whatever does not fit closes it. A microsecond of Python costs several where torch has just swept the caches,
at each of a million steps. So instruments put clock readings into `times` themselves, a step leaves a few
numbers in a list, and everything else is done when the fast path closes, for all of its steps at once.
"""

import weakref
from collections.abc import Callable
from threading import get_ident
from time import perf_counter

from traindx.recorder.nonfinite import Nonfinite
from traindx.recorder.sources import Sources
from traindx.recorder.step import Norms, Objective, StepTimes
from traindx.recorder.streams import Stream

TYPE_CHECKING = False
if TYPE_CHECKING:
    from torch import Tensor

_LONGEST = 0.5
"""Seconds: what it has kept reaches the file when it ends, well within the second that is promised."""
_NUMBERS, _NUMBERS_WITH_LOADER = 7, 11
"""Kept of a step: what `Stream.rows_for` has columns for, after the step itself."""
_WHOLE = 5.0
"""What recording takes of a plain step over what `update_ends` takes, which alone is timed.

A wrapper cannot time its own call; all of them were, from outside, in the steps of a small network."""
_MOST_ABOVE = 3.0
"""A time that is this many times the mean is one in which another program had the processor."""


class FastPath:
    """Each method says whether it dealt with the moment; what it leaves goes the long way."""

    __slots__ = (
        "_due",
        "_fetched",
        "_has_loader",
        "_kept",
        "_last",
        "_nonfinite",
        "_norms",
        "_objective",
        "_rates",
        "_reads",
        "_rows",
        "_source",
        "_sources",
        "_step",
        "_step_cost",
        "_stream",
        "_thread",
        "_until",
        "_values",
        "fault",
        "held",
        "interrupted",
        "is_open",
        "room",
        "spent",
        "stepping",
        "taken",
        "times",
    )

    def __init__(self, sources: Sources, objective: Objective, norms: Norms, nonfinite: Nonfinite) -> None:
        self.is_open = False
        self.held: Callable[[], object] = lambda: None
        """Gives the optimizer that the fast path is for, while it is there."""
        self.stepping = False
        """Whether that optimizer has begun a step."""
        self.interrupted = False
        """Whether the fast path was closed in the middle of a step."""
        self.times = StepTimes(mark=0.0, began=0.0)
        self.fault: Exception | None = None
        self.taken = 0
        """Steps of all lanes so far."""
        self.room = 0
        """Steps that may be kept before the file must be written to."""
        self.spent = 0.0
        self._sources, self._objective, self._norms, self._nonfinite = sources, objective, norms, nonfinite
        self._values = objective.values
        self._kept: list[float] = []
        self._fetched = 0
        """Batches that the sources have not heard of yet."""
        self._step_cost = 0.0

    @property
    def holder(self) -> object:
        """The optimizer that the fast path is for."""
        return self.held()

    def begin(self, stream: Stream, holder: object, times: StepTimes, steps: int, now: float) -> None:
        """Open the fast path for some steps of one optimizer."""
        steps = min(steps, self.room)
        if steps < 1 or self.fault is not None:
            return
        self._thread = get_ident()
        self._stream, self.times = stream, times
        # Nothing is kept alive: a program that is done with its optimizer or its data gets its memory back.
        self.held = weakref.ref(holder)
        self._source = 0 if self._sources.is_foreign else self._sources.identity
        self._has_loader = self._source != 0
        self._rates = stream.holders[0][1].rates
        self._reads = self._objective.reads
        self._rows = stream.rows_for(1, has_loss=True, has_loader=self._has_loader)
        self._step, self._last = stream.step, stream.step + steps
        self._plan()
        self._until = now + _LONGEST
        self.is_open = True

    def close(self) -> None:
        """Go back to the long way, which hears of all that went by."""
        if not self.is_open:
            return
        self.is_open = False
        self.interrupted, self.stepping = self.stepping, False
        try:
            self._write()
            self._nonfinite.batches += len(self._values)
            self._sources.used = self.times.ready <= self.times.asked
        except Exception as error:
            self.fault = error

    def fetched(self, source: object, seconds: float, first: bool) -> bool:
        """A batch came; true where it is the next one of the same data."""
        if first or id(source) != self._source:
            return False
        self._fetched += 1
        self.times.waited += seconds
        self.times.ready = perf_counter()
        return True

    def loss_computed(self, value: "Tensor") -> bool:
        """A loss was computed; true where it is finite and a backward pass may show it."""
        try:
            if not value.requires_grad:
                return False
            if not self._reads or value.numel() != 1:
                return True
            # Although the backward pass reads it again: a program may stop at a bad loss before that.
            number: float = value.item()
            return number - number == 0.0
        except Exception:  # inside a transform of torch.func there is no number to read
            return False

    def backward_begins(self, loss: "Tensor") -> bool:
        """A backward pass of a finite loss begins."""
        try:
            if get_ident() != self._thread:
                return False
            if self._reads:
                number: float = loss.item()
                if number - number != 0.0:
                    return False
                self._values.append(number)
            elif loss.numel() == 1:
                self._values.append(loss.detach())
            else:
                return False
            times, now = self.times, perf_counter()
            if times.ready:
                times.forward += now - (times.ready if times.ready > times.asked else times.asked)
            times.asked = now
            return True
        except RuntimeError:  # several values are no number
            return False
        except Exception as error:
            return self._fails(error)

    def update_begins(self) -> None:
        """The optimizer that the fast path is for begins its step."""
        self.stepping = True
        self.times.asked = perf_counter()

    def update_ends(self, holder: object, rate: object = None) -> bool:
        """The step is over: keep it; false where something else is due.

        An instrument that knows the one learning rate gives it; else the optimizer is asked.
        """
        now = perf_counter()
        try:
            if not self.stepping:
                self.close()
                return False
            self.stepping = False
            self._step = step = self._step + 1
            values, times = self._values, self.times
            if type(rate) is not float:
                rates = self._rates(holder)
                rate = rates[0] if len(rates) == 1 else None
            has_loader = times.ready > 0.0
            if rate is not None and len(values) == 1 and self._reads and has_loader is self._has_loader:
                took, backward, update = now - times.mark, times.backward, now - times.asked
                self._kept.extend((step, values.pop(), rate, now - times.began, took, backward, update))
                if has_loader:
                    waited, forward = times.waited, times.forward
                    other = took - waited - forward - backward - update
                    self._kept.extend((waited, forward, other if other > 0.0 else 0.0, self._fetched))
                    times.waited = times.forward = times.ready = 0.0
                times.backward, times.mark, times.asked = 0.0, now, now
            else:
                self._write_otherwise(now)
            return (step < self._due and now < self._until) or self._goes_on(now)
        except Exception as error:
            self._fails(error)
            return True

    def clipped(self) -> None:
        """The program has told the norm of this step itself."""
        self._due = 0

    def _goes_on(self, now: float) -> bool:
        """Do what is due at this step; false where the fast path ends."""
        cost = perf_counter() - now
        mean = self._step_cost or cost
        self._step_cost = mean + 0.2 * (min(cost, _MOST_ABOVE * mean) - mean)
        stream = self._stream
        # The gradients are still what the optimizer used.
        if self._norms.is_known or stream.schedule.has_norm(self._step):
            began = perf_counter()
            self._write()
            self._nonfinite.in_gradients(self._norms.of_step(stream, None), stream)
            self._nonfinite.write(stream)
            self.spent += perf_counter() - began
        self._plan()
        return self._step < self._last and now < self._until

    def _plan(self) -> None:
        """Find the next step at which more is to do than to keep it."""
        step, schedule = self._step, self._stream.schedule
        self._due = min(schedule.next_norm(step), self._last) if self._step_cost else step + 1

    def _write_otherwise(self, now: float) -> None:
        """Write a step of several passes, of several rates, or whose loss is still on a device."""
        self._write()
        self._nonfinite.batches += len(self._values)
        plain, loader = self.times.finish(now)
        loader = (*loader, self._sources.epoch) if loader else ()
        self._stream.write_step(self._objective.of_step(), self._stream.rates(), plain, loader)

    def _write(self) -> None:
        """Hand over what was kept."""
        kept, stream = self._kept, self._stream
        steps, stream.step = self._step - stream.step, self._step
        self.taken += steps
        self.spent += steps * _WHOLE * self._step_cost
        self._nonfinite.batches += len(kept) // (_NUMBERS_WITH_LOADER if self._has_loader else _NUMBERS)
        if self._has_loader:
            self._count_epochs()
        self._rows.fromlist(kept)
        kept.clear()

    def _count_epochs(self) -> None:
        """Put the epoch where the number of batches stands, and tell the sources of them."""
        kept, sources, written = self._kept, self._sources, 0
        for index in range(_NUMBERS_WITH_LOADER - 1, len(kept), _NUMBERS_WITH_LOADER):
            for _ in range(written, int(kept[index])):
                sources.fetched_next()
            written = int(kept[index])
            kept[index] = sources.epoch
        for _ in range(written, self._fetched):
            sources.fetched_next()
        self._fetched = 0

    def _fails(self, error: Exception) -> bool:
        """Never again: the long way, which is guarded event by event, is left."""
        self.close()
        self.fault = error
        return False
