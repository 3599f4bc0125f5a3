"""The recorder: events of a program that trains, turned into rows, looks and facts.

Instruments call it. Every event is guarded: a fault is recorded once, that event is ignored from then on, and
the program never hears of it. Every event is timed: what recording costs is known, kept within the budget,
and stated in the recording.
"""

import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from time import perf_counter, process_time

from traindx import facts as f
from traindx.format import count
from traindx.recorder.guard import Cost, event
from traindx.recorder.loop import Loop
from traindx.recorder.loop_facts import COST, HostSyncs
from traindx.recorder.probes.types import Probe, Purpose
from traindx.recorder.recording_writer import RecordingWriter, ending_by
from traindx.recorder.sampling import Notebook, Sampling
from traindx.recorder.schedule import StepLimit, WriteSchedule
from traindx.recorder.streams import Holder
from traindx.run import Event, EventKind, Fact, Quantity, Scalar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from torch import Tensor, nn

    from traindx.recorder.hooks.torch_backend import TorchBackend

_COST_STATED_EVERY = 0.4
"""Seconds between two statements of what recording costs."""


class Recorder:
    """One per process; opens its file when training begins."""

    def __init__(
        self,
        backend: "TorchBackend",
        probes: Sequence[Probe],
        place: "Callable[[], tuple[Path, Mapping[str, object]]]",
        *,
        budget: float = 0.02,
        every: int | None = None,
        limit: StepLimit | None = None,
        enough: "Callable[[], None]" = lambda: None,
        cost: Cost | None = None,
    ) -> None:
        """`place` tells where the file goes and what stands in its head, once training has begun.

        `enough` is called when the program has taken the last step that it may.
        """
        self.spent = self.began = self._stated = 0.0
        self.thread = 0
        """The thread that trains, once there is one."""
        self.ignored: set[str] = set()
        self.writer = RecordingWriter()
        self._backend, self._place = backend, place
        self._process, self._cost = Notebook(self.writer, 0), cost or Cost(process_time())
        self._refused = False
        """Whether a loss function has refused its targets."""
        self._steps = 0
        """Steps that went the long way."""
        self._writes = WriteSchedule()
        self.sampling = Sampling(probes, self._process)
        self._limit, self._enough = limit or StepLimit(), enough
        self.loop = Loop(self.writer, backend, self.sampling, budget, every, self._limit)
        self.fast_path = self.loop.fast_path
        self.reads = HostSyncs()

    @property
    def wants_modules(self) -> bool:
        """Whether calls of modules are of interest now."""
        return self.sampling.active and "forward_begins" not in self.ignored

    @property
    def wants_reads(self) -> bool:
        """Whether values that the program takes out of tensors are to be counted until the next step."""
        looked_at = self.sampling.snapshot is not None and not self.sampling.follows
        return looked_at and self.loop.step > 0 and "update_begins" not in self.ignored

    @event
    def optimizer_made(self, holder: object, kind: Holder) -> None:
        """The program made an optimizer."""
        self.loop.optimizer_made(holder, kind, self._backend.place())

    @event
    def evaluates(self) -> None:
        """The program puts a model into eval mode."""
        self.loop.evaluates()

    @event
    def names_model(self, module: "nn.Module") -> None:
        """The program, or a framework, says which module is the model."""
        self.loop.model.meet(module)

    @event
    def describes_data(self, source: object, facts: Mapping[Fact, Scalar]) -> None:
        """A data loader tells of itself."""
        self.loop.sources.describe(source, facts)

    @event
    def fetched(self, source: object, seconds: float, samples: int, first: bool, batches: int) -> None:
        """A data loader gave a batch; `source` is its data, `batches` the length of a pass or 0."""
        self.loop.fetched(source, seconds, samples, first, batches, perf_counter())

    @event
    def forward_begins(self, module: "nn.Module", gradients: bool) -> None:
        """A module is called; `gradients` says whether a graph is built."""
        self.loop.forward.forward_begins(module, gradients)

    @event
    def module_returned(
        self, module: "nn.Module", args: Sequence[object], kwargs: Mapping[str, object], output: object
    ) -> None:
        """A module gave its output."""
        self.loop.forward.module_returned(module, args, kwargs, output)

    @event
    def dropped(self, probability: float, given: "Tensor", output: "Tensor", gradients: bool) -> None:
        """A dropout set values to zero; `gradients` says whether a graph is built."""
        self.loop.forward.dropped(probability, given, output, gradients)

    @event
    def loss_computed(
        self,
        function: str,
        prediction: "Tensor",
        target: "Tensor",
        value: "Tensor",
        options: Mapping[str, object],
        purpose: Purpose | None = None,
    ) -> None:
        """A loss function returned; the purpose is found out where it is not given."""
        self.loop.forward.loss_computed(function, prediction, target, value, options, purpose)

    @event
    def targets_refused(self, function: str, fault: str, classes: int, lowest: int = 0) -> None:
        """A loss function raised because of its targets; without classes to choose from there are 0."""
        notebook = self.loop.notebook(self._process)
        notebook.state(f.LABEL_FAULT, fault)
        notebook.state(f.LOSS_FUNCTION, function)
        notebook.state(f.LOSS_PLACE, self._backend.place())
        if classes:
            notebook.state(f.CLASSES, classes)
        notebook.state(f.LOWEST_LABEL, lowest)
        self._refused = True

    @event
    def backward_begins(self, loss: "Tensor") -> None:
        """Gradients are about to be computed."""
        now = perf_counter()
        if not self.writer.is_open:
            self.thread = threading.get_ident()
            self.writer.open(*self._place())
        self.loop.backward_begins(loss, now)
        self._end_if_enough()

    @event
    def backward_ends(self) -> None:
        """Gradients were computed."""
        self.loop.backward_ends(perf_counter())
        self._write_if_due()

    @event
    def backward_failed(self, loss: "Tensor") -> None:
        """The backward pass raised: no gradients came."""
        self.loop.backward_failed(loss, perf_counter())

    @event
    def clipped(self, norm: "Tensor", limit: float) -> None:
        """Gradients were clipped to a norm; `norm` is what it was before."""
        self._state_place(f.CLIP_PLACE)
        self.loop.norms.clipped(norm, float(limit))
        self.fast_path.clipped()

    @event
    def clipped_values(self, limit: float) -> None:
        """Every gradient was clipped to a value."""
        self._state_place(f.CLIP_PLACE)
        self.loop.notebook(self._process).state(f.GRADIENT_CLIP, float(limit))

    @event
    def update_begins(self, holder: object, kind: Holder) -> None:
        """An optimizer is about to step."""
        if self.reads.is_open and self.sampling.snapshot is not None:
            self.spent += self.reads.count * COST
            self.reads.end(self.sampling.snapshot)
        self.loop.update_begins(holder, kind, perf_counter())

    @event
    def update_ends(self, holder: object) -> None:
        """An optimizer has stepped."""
        self.loop.update_ends(holder, perf_counter(), self.spent + self.fast_path.spent)
        self._stepped()

    @event
    def fast_path_ends(self) -> None:
        """A stretch of plain steps is over."""
        self.fast_path.close()
        self._write_if_due()
        self.loop.end_fast_path(self.spent + self.fast_path.spent, perf_counter())
        self._end_if_enough()

    @event
    def update_skipped(self, holder: object, kind: Holder) -> None:
        """A step was left out because a gradient overflowed."""
        self.loop.update_skipped(holder, kind, perf_counter(), self.spent + self.fast_path.spent)
        self._stepped()

    @event
    def scaled(self, scale: float) -> None:
        """The loss is multiplied with a factor before the backward pass."""
        self.loop.scale = scale

    @event
    def metric(self, quantity: Quantity, value: float, part: str = "") -> None:
        """A framework reports a number itself."""
        self.loop.metric(quantity, value, part)

    @event
    def state(self, fact: Fact, value: Scalar) -> None:
        """State a fact of the training that runs, or of the process before there is one."""
        self.loop.notebook(self._process).state(fact, value)

    @event
    def failed(self, error: BaseException) -> None:
        """The program ends with an exception; one that was about to train is recorded all the same."""
        ending = ending_by(error, self.loop.step or None)
        self._process.happened(ending)
        meant_to_train = self._refused or self.loop.meant_to_train
        if ending.kind is EventKind.EXCEPTION and meant_to_train and not self.writer.is_open:
            self.writer.open(*self._place())
            self.loop.describe_unbegun(self._process)

    @event
    def flush(self) -> None:
        """Bring everything into the file."""
        self._write()

    def close(self) -> None:
        """Write what is open and close the file; the recorder hears nothing from then on."""
        self.thread = 0
        self._finish()
        self.thread = -1
        try:
            self.writer.close()
        except Exception as error:  # a full disk at the very end must not change how the program ends
            self.steps_aside("close", error)

    @event
    def _finish(self) -> None:
        self.loop.finish(perf_counter())
        self._state_cost(perf_counter())
        self._write()

    def steps_aside(self, what: str, error: Exception) -> None:
        """Record a fault once, and ignore the event from then on."""
        self.ignored.add(what)
        self._process.stepped_aside(what, error, self.loop.step or None)

    def _state_place(self, fact: Fact) -> None:
        """State where the program is, at looks that tell what seldom changes: it takes a while."""
        snapshot = self.sampling.snapshot
        if snapshot is not None and self.sampling.thorough:
            snapshot.state(fact, self._backend.place())

    def _stepped(self) -> None:
        self._steps += 1
        self._write_if_due()
        self._end_if_enough()

    def _end_if_enough(self) -> None:
        if self._limit.reached:
            says = f"stopped after {count(self._limit.most, 'step')} (--max-steps)"
            self._process.happened(Event(EventKind.INTERRUPTED, says))
            self._enough()

    def _write_if_due(self) -> None:
        steps = self._steps + self.fast_path.taken
        if self._writes.are_due(steps, perf_counter()):
            self._write()
        else:
            self.fast_path.room = self._writes.room(steps)

    def _write(self) -> None:
        now = perf_counter()
        self.loop.settle()
        if now - self._stated > _COST_STATED_EVERY:
            self._state_cost(now)
        self.writer.flush()
        self.fast_path.room = self._writes.written(self._steps + self.fast_path.taken, now)

    def _state_cost(self, now: float) -> None:
        if self.began and (elapsed := now - self.began) > 0:
            self._cost.state(self._process, self.spent + self.fast_path.spent, elapsed)
        self._stated = now
