"""Plain steps in a row: only what a step must have is written, by the shortest way.

Between two looks nothing is decided: which stream steps, where its rows go and what is due are settled when
the lane opens, and whatever does not fit closes it. A microsecond of Python costs several where torch has
just swept the caches, at each of a million steps.
"""

import weakref
from collections.abc import Callable
from threading import get_ident
from time import perf_counter

from traindx.recording.nonfinite import Nonfinite
from traindx.recording.norms import Norms
from traindx.recording.objective import Objective
from traindx.recording.sources import Sources
from traindx.recording.stream import Stream
from traindx.recording.times import StepTimes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from torch import Tensor

_LONGEST = 0.5
"""Seconds: what a lane has written reaches the file when it ends, well within the second that is promised."""
_MOST_STEPS = 24


class Lane:
    """Each method says whether it dealt with the moment; what it leaves goes the long way."""

    def __init__(self, sources: Sources, objective: Objective, norms: Norms, nonfinite: Nonfinite) -> None:
        self.is_open = False
        self._holder: Callable[[], object] = lambda: None
        self.fault: Exception | None = None
        self.steps = 0
        """The length of the last lane."""
        self.spent = 0.0
        self.seconds = 0.0
        """How long the last lane was open."""
        self._sources, self._objective, self._norms, self._nonfinite = sources, objective, norms, nonfinite
        self._values = objective.values
        self._stream: Stream | None = None
        self._left = 0

    def begin(self, stream: Stream, holder: object, times: StepTimes, steps: int, now: float) -> None:
        """Open the lane for some steps of one optimizer."""
        if steps < 1 or self.fault is not None:
            return
        self._thread = get_ident()
        self._stream, self._times = stream, times
        # Not kept alive: a program that is done with its optimizer gets its memory back.
        self._holder = weakref.ref(holder)
        self._source = self._sources.object_at_hand
        self._has_loader = self._source is not None
        self._rates = stream.holders[0][1].rates
        self._rows = stream.rows_for(1, has_loss=True, has_loader=self._has_loader)
        self._left = self.steps = min(steps, _MOST_STEPS)
        self._opened, self._until = now, now + _LONGEST
        self.is_open = True

    @property
    def done(self) -> int:
        """Steps that the lane has taken since it opened."""
        return self.steps - self._left

    @property
    def holder(self) -> object:
        """The optimizer that the lane is for."""
        return self._holder()

    def close(self) -> None:
        """Go back to the long way; nothing is lost, for the lane writes where it writes."""
        self.is_open = False
        self.seconds = perf_counter() - self._opened

    def fetched(self, source: object, seconds: float, first: bool) -> bool:
        """A batch of the same data came."""
        try:
            if first or source is not self._source:
                return False
            self._sources.fetched_next()
            self._times.waited += seconds
            self._times.ready = perf_counter()
            return True
        except Exception as error:
            return self._fails(error)

    def loss_computed(self, value: "Tensor") -> bool:
        """A loss was computed that a backward pass will show."""
        try:
            if not value.requires_grad:
                return False
            if not value.is_cpu or value.numel() != 1:
                return True
            number: float = value.item()
            return number - number == 0.0
        except Exception as error:
            return self._fails(error)

    def backward_begins(self, loss: "Tensor") -> bool:
        """A backward pass of a finite loss begins."""
        now = perf_counter()
        try:
            if get_ident() != self._thread or loss.numel() != 1:
                return False
            number = loss.item() if loss.is_cpu else loss.detach()
            if isinstance(number, float) and number - number != 0.0:
                return False
            self._values.append(number)
            self._nonfinite.batches += 1
            self._sources.used = True
            times = self._times
            if times.ready:
                times.forward += now - max(times.ready, times.asked)
            times.asked = perf_counter()
            self.spent += times.asked - now
            return True
        except Exception as error:
            return self._fails(error)

    def backward_ends(self) -> None:
        """The backward pass is over."""
        try:
            now = perf_counter()
            self._times.backward += now - self._times.asked
            self._times.asked = now
        except Exception as error:
            self._fails(error)

    def update_begins(self) -> None:
        """The optimizer that the lane is for begins its step."""
        try:
            self._times.asked = perf_counter()
        except Exception as error:
            self._fails(error)

    def update_ends(self, holder: object) -> bool:
        """The step is over: write it; false where something else is due."""
        if holder is not self._holder() or not self._values:
            self.is_open = False
            return False
        now = perf_counter()
        try:
            self._write(now)
        except Exception as error:
            return self._fails(error)
        self._left -= 1
        self.spent += perf_counter() - now
        return self._left > 0 and now < self._until

    def _write(self, now: float) -> None:
        stream, times, values = self._stream, self._times, self._values
        assert stream is not None
        stream.step += 1
        rates = self._rates(self._holder())
        ordinary = len(values) == 1 and isinstance(values[0], float) and len(rates) == 1
        if ordinary and bool(times.ready) == self._has_loader:
            self._write_ordinary(stream, times, rates[0], now)
        else:
            plain, loader = times.finish(now)
            loader = (*loader, self._sources.epoch) if loader else ()
            stream.write_step(self._objective.of_step(), stream.rates(), plain, loader)
        # The gradients are still what the optimizer used.
        if stream.step % stream.norm_every == 0 or self._norms.is_known:
            norm = self._norms.of_step(stream, None)
            self._nonfinite.in_gradients(norm, stream)
            self._nonfinite.write(stream)

    def _write_ordinary(self, stream: Stream, times: StepTimes, rate: float, now: float) -> None:
        """What StepTimes.finish and Stream.write_step do, for the one kind of step that is common."""
        step, update = now - times.mark, now - times.asked
        rows = self._rows
        rows.extend((stream.step, self._values.pop(), rate, now - times.began, step, times.backward, update))
        if self._has_loader:
            other = max(step - times.waited - times.forward - times.backward - update, 0.0)
            rows.extend((times.waited, times.forward, other, self._sources.epoch))
        times.mark = times.asked = now
        times.waited = times.forward = times.backward = times.ready = 0.0

    def _fails(self, error: Exception) -> bool:
        """Never again: the long way, which is guarded event by event, is left."""
        self.fault = error
        self.is_open = False
        return False
