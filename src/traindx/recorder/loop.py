"""The training loop as it is seen from outside: batches, passes, backward passes, steps."""

from traindx.facts import LOSSES_DIFFER, TRAINED_IN_EVAL_MODE
from traindx.quantities import LOSS_SCALE, SKIPPED_STEPS
from traindx.recorder.fast_path import FastPath
from traindx.recorder.forward import Forward
from traindx.recorder.loop_facts import doubt_accuracy
from traindx.recorder.model import Model
from traindx.recorder.nonfinite import Nonfinite
from traindx.recorder.recording_writer import RecordingWriter
from traindx.recorder.sampling import Notebook, Sampling
from traindx.recorder.schedule import Budget, StepLimit
from traindx.recorder.sources import Sources
from traindx.recorder.step import Inspection, Norms, Objective, StepTimes
from traindx.recorder.streams import Holder, Stream, Streams
from traindx.run import Event, EventKind, Quantity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from torch import Tensor

    from traindx.recorder.hooks.torch_backend import TorchBackend


class Loop:
    """What happens between two steps, and what is written at their ends."""

    def __init__(
        self,
        writer: RecordingWriter,
        backend: "TorchBackend",
        sampling: Sampling,
        budget: float,
        every: int | None,
        limit: StepLimit,
    ) -> None:
        self._backend, self._sampling = backend, sampling
        self.limit = limit
        self._budget = Budget(budget)
        self.model = Model()
        self._streams = Streams(writer, self.model, budget, every)
        self.sources = Sources()
        self._objective = Objective(backend)
        self.norms = Norms(backend)
        self._nonfinite = Nonfinite(backend, self.model)
        self.forward = Forward(
            backend, sampling, budget, self.model, self._streams, self.sources, self._nonfinite
        )
        self._inspection = Inspection(
            backend, sampling, self.model, self._streams, self.sources, self.norms, self._objective
        )
        self.fast_path = FastPath(self.sources, self._objective, self.norms, self._nonfinite)
        self._times: StepTimes | None = None
        self._updating: object = None
        self._again = False
        """Whether the program computes gradients within a step of its optimizer."""
        self._batch_size = 0
        self._skipped = 0
        self.scale = 0.0
        """What the program multiplies its loss with before the backward pass; 0 where it does not."""
        self._spent = 0.0

    @property
    def step(self) -> int:
        """Steps of the stream that stepped last."""
        return self._streams.step

    def notebook(self, process: Notebook) -> Notebook:
        """Where to state what holds now: at the stream that stepped last, or at the process."""
        return self._streams.current.notebook if self._streams.current else process

    @property
    def meant_to_train(self) -> bool:
        """Whether the program has made an optimizer."""
        return self._streams.any_made

    def describe_unbegun(self, notebook: Notebook) -> None:
        """State what is known of a training that ended before its first step."""
        facts = {**self._streams.settings_made(), **self._backend.model_facts(self.model.roots)}
        for fact, value in facts.items():
            notebook.state(fact, value)
        if self._sampling.snapshot is not None:
            self._sampling.snapshot.write_statements(notebook)

    def optimizer_made(self, holder: object, kind: Holder, place: str) -> None:
        """A new optimizer is looked at from its first step on."""
        self._streams.made(holder, kind, place)
        if self._sampling.snapshot is None:
            self._sampling.begin(1)

    def evaluates(self) -> None:
        """A model goes into eval mode: what it is called with next is looked at, where training has begun."""
        if self.step:
            self._sampling.active = True

    def fetched(
        self, source: object, seconds: float, samples: int, first: bool, batches: int, now: float
    ) -> None:
        """A batch came from a loader."""
        self.sources.fetched(source, first, batches)
        if self.sources.is_foreign:
            watched = self.forward.validation.is_chosen(self.sources.now, ahead=1)
            self._sampling.active = watched or self._sampling.snapshot is not None
            return
        times = self._timed(now - seconds)
        if self.forward.validation.pending:
            times.left_out(now - seconds)
        times.fetched(now, seconds)
        self.forward.samples += samples
        self._batch_size = samples

    def backward_begins(self, loss: "Tensor", now: float) -> None:
        """A backward pass begins: what was evaluated before it is over."""
        if self._updating is self:
            self.update_ends(self, now, self._spent)
            if self.limit.reached:
                return
        elif self._updating is not None:
            # LBFGS evaluates its loss again and again within a step: the first value is that of the step.
            self.forward.in_backward = self._again = True
            return
        times = self._timed(now)
        if self.sources.trained():
            # What seemed to be other data is trained on: a program may make its data set anew each epoch.
            self.forward.validation.drop(self.sources.now)
        if self.forward.validation.pending and self._streams.current is not None:
            self._end_validation(self._streams.current)
        times.backward_begins(now)
        snapshot = self._sampling.snapshot
        first = not len(self._objective)
        value = self._objective.add(loss, looked_at=snapshot is not None and not self._sampling.follows)
        if value is not None:
            self.forward.sees_loss(loss, value)
            snapshot = self._sampling.snapshot
        if snapshot is not None and self.forward.in_eval_mode is not None:
            self._inspection.loop_facts.count(TRAINED_IN_EVAL_MODE, self.forward.in_eval_mode)
            self.forward.in_eval_mode = None
        if snapshot is not None:
            self.forward.units.backward_begins(value, self._objective.passes_per_step)
        if snapshot is not None and first:
            self._inspection.backward_begins(snapshot, loss)
        self._nonfinite.trace(loss)
        self.forward.backward_begins()

    def backward_ends(self, now: float) -> None:
        """A backward pass is over; without any optimizer, it is the step."""
        self.forward.in_backward = False
        if self._updating is not None:
            return
        self._timed(now).backward_ends(now)
        if not self._streams.any_made:
            self.update_begins(self, self._streams.by_hand, now)

    def backward_failed(self, loss: "Tensor", now: float) -> None:
        """A backward pass raised: if the program goes on, this loss is no part of a step."""
        self.forward.in_backward = False
        if self._updating is None:
            self._objective.take_back(loss)
            self._timed(now).backward_ends(now)

    def update_begins(self, holder: object, kind: Holder, now: float) -> None:
        """An optimizer begins its step."""
        if self._updating is self and holder is not self:
            # What looked like a step by hand was one of an optimizer that we did not see being made.
            self._streams.withdraw()
        stream = self._streams.stepping(holder, kind, after_backward=bool(len(self._objective)))
        if stream is None:
            return
        self._timed(now).update_begins(now)
        self._updating = holder
        self._streams.follow(stream)
        stream.step += 1
        snapshot = self._sampling.snapshot
        if snapshot is None:
            norm = self.norms.of_step(stream, None)
        else:
            norm = self._inspection.update_begins(snapshot, stream, holder, self.forward.samples)
        self._nonfinite.in_gradients(norm, stream)

    def update_ends(self, holder: object, now: float, spent: float) -> None:
        """An optimizer has stepped: write the step, and decide whether to look at the next."""
        stream = self._streams.current
        if stream is None or self._updating is not holder:
            return
        self._updating = None
        snapshot = self._sampling.snapshot
        if snapshot is not None:
            self._objective.learn(stream.notebook)
        waited = self._timed(now).waited
        self._write_step(stream, now, spent - self._spent)
        self.limit.stepped(stream)
        if snapshot is not None:
            self._inspection.ends(snapshot, stream, holder, self.forward.samples, self._batch_size)
        if snapshot is not None and not self._sampling.follows:
            must_be_paid = not stream.schedule.is_free(stream.step)
            self._budget.looked(spent - self._spent, waited, must_be_paid=must_be_paid)
        self._spent = spent
        self.forward.samples = 0
        self._inspection.choose_next(
            stream, self._budget, looked=snapshot is not None and not self._sampling.follows
        )
        if self._sampling.snapshot is None and not self._again and not self.scale and holder is not self:
            self._open_fast_path(stream, holder, now)

    def leave_fast_path(self, spent: float) -> None:
        """Settle the accounts of the plain steps that went by."""
        self.fast_path.close()
        if self._streams.current is not None:
            self.limit.stepped(self._streams.current)
        self._spent = spent

    def end_fast_path(self, spent: float, now: float) -> None:
        """The fast path has run its length: look, or go on."""
        self.leave_fast_path(spent)
        stream = self._streams.current
        assert stream is not None
        self.forward.samples = 0
        self._inspection.choose_next(stream, self._budget, looked=False)
        holder = self.fast_path.holder
        if self._sampling.snapshot is None and holder is not None:
            self._open_fast_path(stream, holder, now)

    def _open_fast_path(self, stream: Stream, holder: object, now: float) -> None:
        if stream.successor is stream and len(stream.holders) == 1:
            steps = min(stream.schedule.plain_steps(stream.step), self.limit.left(stream))
            self.fast_path.begin(stream, holder, self._timed(now), steps, now)

    def update_skipped(self, holder: object, kind: Holder, now: float, spent: float) -> None:
        """A step was left out: it is counted, with its loss."""
        self._nonfinite.expected()
        self.update_begins(holder, kind, now)
        self._skipped += 1
        stream = self._streams.current
        if stream is not None and self._updating is holder:
            says = "gradient overflow in half precision: step skipped, loss scale lowered"
            stream.notebook.happened(Event(EventKind.OVERFLOW, says, stream.step))
        self.update_ends(holder, now, spent)

    def metric(self, quantity: Quantity, value: float, part: str) -> None:
        """A framework reports a number itself."""
        if self._streams.current is not None:
            self.forward.validation.reported.add((quantity.slug, part))
            doubt_accuracy(self._streams.current.notebook, quantity, self._backend)
            self._streams.current.write_value(quantity, value, part)

    def settle(self) -> None:
        """Read what is still on a device."""
        for stream in self._streams.all:
            stream.settle(self._backend)

    def finish(self, now: float) -> None:
        """The program ends: write what is open, the step it did not finish included."""
        if self._updating is self:
            self.update_ends(self, now, self._spent)
        stream = self._streams.current
        if stream is None and len(self._objective):
            stream = self._streams.unfinished(self)
        if stream is None:
            return
        if self.forward.validation.pending:
            self._end_validation(stream)
        if len(self._objective):
            # A step that had begun was counted then.
            stream.step += self._updating is None
            if self._sampling.snapshot is not None:
                self._sampling.snapshot.step = stream.step
            self._write_step(stream, now)
        self._nonfinite.write(stream)
        snapshot = self._sampling.snapshot
        if snapshot is not None and snapshot.step in (stream.step, self._nonfinite.inspected):
            self._inspection.ends(snapshot, stream, None, self.forward.samples, self._batch_size)
        self._inspection.describe(stream)

    def _timed(self, now: float) -> StepTimes:
        if self._times is None:
            self._times = StepTimes(mark=now, began=now, asked=now)
        return self._times

    def _end_validation(self, stream: Stream) -> None:
        loop_facts = self._inspection.loop_facts
        self.forward.validation.write(stream.notebook, self.forward.function, self._backend, loop_facts)
        loop_facts.write(stream.notebook)
        difference = self.forward.units.difference
        # What a framework reports has the unit of its own training loss.
        if difference is not None and not self.forward.validation.is_told:
            stream.notebook.state(LOSSES_DIFFER, difference)
        for fact, fact_value in self.sources.facts.items():
            stream.notebook.state(fact, fact_value)

    def _write_step(self, stream: Stream, now: float, ours: float = 0.0) -> None:
        times, loader = self._timed(now).finish(now, ours)
        epoch = (*loader, self.sources.epoch) if loader else ()
        stream.write_step(self._objective.of_step(), stream.rates(), times, epoch)
        if self.scale:
            stream.write_value(LOSS_SCALE, self.scale)
            stream.write_value(SKIPPED_STEPS, self._skipped)
        self._nonfinite.write(stream)
