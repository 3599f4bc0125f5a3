"""One step: where its time went, its loss, the norm of its gradient, and what probes are told of it.

A step that is looked at is written when it is over.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import isclose

from traindx import facts as f
from traindx.quantities import GRADIENT_NORM
from traindx.recorder.loop_facts import LoopFacts
from traindx.recorder.model import Model
from traindx.recorder.probes.types import Probe, Update, Where
from traindx.recorder.sampling import Notebook, Sampling, TrainingSnapshot
from traindx.recorder.schedule import Budget
from traindx.recorder.sources import Sources
from traindx.recorder.streams import Stream, Streams

TYPE_CHECKING = False
if TYPE_CHECKING:
    from torch import Tensor

    from traindx.recorder.hooks.torch_backend import TorchBackend
    from traindx.recorder.probes.types import Value


@dataclass(slots=True)
class StepTimes:
    """Seconds since the step before ended, by what they were spent on."""

    mark: float
    """When the step before ended."""
    began: float
    """When recording began."""
    waited: float = 0.0
    forward: float = 0.0
    backward: float = 0.0
    update: float = 0.0
    ready: float = 0.0
    """When the data of the batch at hand was there; 0 without a data loader."""
    asked: float = 0.0
    """When the pass that runs now began."""

    def fetched(self, now: float, seconds: float) -> None:
        """A data loader gave a batch."""
        self.waited += seconds
        self.ready = now

    def backward_begins(self, now: float) -> None:
        """The forward pass is over."""
        if self.ready:
            self.forward += now - max(self.ready, self.asked)
        self.asked = now

    def backward_ends(self, now: float) -> None:
        """The backward pass is over."""
        self.backward += now - self.asked
        self.asked = now

    def update_begins(self, now: float) -> None:
        """The optimizer begins."""
        self.asked = now

    def left_out(self, now: float) -> None:
        """What happened until now was not training."""
        self.mark, self.waited = now, 0.0

    def finish(self, now: float, ours: float = 0.0) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Wall, step, backward and update time; data, forward and other time where a loader tells them."""
        self.update += now - self.asked
        step = max(now - self.mark - ours, 0.0)  # what recording took is no time of the program's
        plain = (now - self.began, step, self.backward, self.update)
        known = self.waited + self.forward + self.backward + self.update
        loader = (self.waited, self.forward, max(step - known, 0.0)) if self.ready else ()
        self.mark = self.asked = now
        self.waited = self.forward = self.backward = self.update = self.ready = 0.0
        return plain, loader


class Objective:
    """Losses whose gradients add up to one step."""

    def __init__(self, backend: "TorchBackend") -> None:
        self._backend = backend
        self.values: list[Value] = []
        """Losses of the backward passes since the last step."""
        self._places: list[str] = []
        self._divisors: list[float] = []
        self._accumulates = True
        """Several backward passes of one line are batches; those of different lines are terms of the loss."""
        self._divisor = 1.0
        self.reads = True
        """Whether losses are numbers at once: reading them from another device would wait."""
        self.passes_per_step = 1
        """Batches whose gradients are added up before one step."""

    def __len__(self) -> int:
        return len(self.values)

    def add(self, loss: "Tensor", *, looked_at: bool) -> "Value | None":
        """Keep the loss of a backward pass; None where it is not one number."""
        if loss.numel() != 1:
            return None
        value = self._backend.number(loss)
        self.values.append(value)
        self.reads = isinstance(value, float)
        if looked_at:
            self._places.append(self._backend.place())
            self._divisors.append(self._backend.divisor(loss) or 1.0)
        return value

    def take_back(self, loss: "Tensor") -> None:
        """Drop the loss that was kept last: its backward pass failed."""
        if loss.numel() != 1 or not self.values:
            return
        self.values.pop()
        if self._places:
            self._places.pop()
            self._divisors.pop()

    def of_step(self) -> "Value | None":
        """The loss as if it had been computed on all batches at once."""
        values = self.values
        if len(values) == 1:
            return values.pop()
        if not values:
            return None
        total, passes = sum(values[1:], start=values[0]), len(values)
        values.clear()
        if not self._accumulates:
            return total
        # A loss that is divided before the backward pass means the mean over the batches.
        return total * (self._divisor / passes)

    def learn(self, notebook: Notebook) -> None:
        """Learn from a looked-at step whether the program accumulates gradients, and state it."""
        places, divisors = self._places, self._divisors
        self._places, self._divisors = [], []
        if not places:
            return
        notebook.state(f.BACKWARD_PLACE, places[-1])
        notebook.state(f.BACKWARDS_PER_STEP, len(places))
        self._accumulates = len(set(places)) == 1
        if len(places) > 1 and self._accumulates:
            notebook.state(f.ACCUMULATION, len(places))
            self.passes_per_step = len(places)
            # A weight of the loss is no division by the number of batches.
            divided = abs(divisors[-1] - len(places)) < 0.01 * len(places)
            self._divisor = divisors[-1] if divided else 1.0
        if divisors[-1] != 1.0:
            notebook.state(f.LOSS_DIVISOR, divisors[-1])


class Norms:
    """Norms of gradients, by clipping or by our own sum."""

    def __init__(self, backend: "TorchBackend") -> None:
        self._backend = backend
        self._clipped: tuple[Value, float] | None = None
        self._layers: dict[int, int] = {}
        """Per stream, how many layers have norms that make up that of the whole."""

    @property
    def is_known(self) -> bool:
        """Whether the program computed the norm of this step itself."""
        return self._clipped is not None

    def clipped(self, norm: "Tensor", limit: float) -> None:
        """The program computed the norm itself, to clip by it."""
        self._clipped = (self._backend.number(norm), limit)

    def of_step(self, stream: Stream, parameters: "list[Tensor] | None") -> "Value | None":
        """Write the norm of this step, if it is known or due; None where it is not."""
        if self._clipped is not None:
            norm, limit = self._clipped
            self._clipped = None
            stream.notebook.state(f.GRADIENT_CLIP, limit)
            stream.write_norms(norm, limit)
            return norm
        if parameters is None and not stream.schedule.has_norm(stream.step):
            return None
        total = self._backend.total_norm(stream.held() if parameters is None else parameters)
        if total is not None:
            stream.write_norms(total, None)
        return total

    def of_look(
        self, stream: Stream, parameters: "list[Tensor]", by_layer: "Mapping[Where, Value]"
    ) -> "Value | None":
        """Write the norm of a step that is looked at: from those of its layers, once they have agreed."""
        if self.is_known:
            return self.of_step(stream, parameters)
        norms = [norm for norm in by_layer.values() if isinstance(norm, float)]
        together = sum(norm * norm for norm in norms) ** 0.5
        complete = len(norms) == len(by_layer)
        if complete and self._layers.get(stream.number) == len(norms):
            stream.write_norms(together, None)
            return together
        total = self.of_step(stream, parameters)
        # Sparse and sharded gradients have norms that the sum over all at plain steps leaves out.
        if complete and total and isinstance(total, float) and isclose(total, together, rel_tol=1e-4):
            self._layers[stream.number] = len(norms)
        return total


class Inspection:
    """Brings together what the parts of the recorder know about a step."""

    def __init__(
        self,
        backend: "TorchBackend",
        sampling: Sampling,
        model: Model,
        streams: Streams,
        sources: Sources,
        norms: Norms,
        objective: Objective,
    ) -> None:
        self.loop_facts = LoopFacts()
        self._backend, self._sampling, self._model = backend, sampling, model
        self._streams, self._sources, self._norms, self._objective = streams, sources, norms, objective
        self._largest = 0
        """Samples in the largest batch: the last one of a pass may be smaller than the others."""

    def backward_begins(self, snapshot: TrainingSnapshot, loss: "Tensor") -> None:
        """The first backward pass of the step begins."""
        self._sampling.tell(
            Probe.backward_begins, snapshot, loss, self._model.held(self._streams.held_by_any())
        )

    def update_begins(
        self, snapshot: TrainingSnapshot, stream: Stream, holder: object, samples: int
    ) -> "Value | None":
        """The step is about to be taken: the norm of its gradient, where it is asked for."""
        snapshot.step = stream.step
        held = stream.held()
        parameters = self._model.held(held)
        self._sampling.tell(Probe.update_begins, snapshot, Update(holder, parameters, samples))
        if self._sampling.follows:
            return self._norms.of_step(stream, None)
        by_layer = snapshot.of(GRADIENT_NORM)
        for name, value in self._model.waiting_for_gradient(parameters):
            norm = by_layer.get((name, ""))
            # Squares of small values may vanish: then the values themselves are asked.
            if (isinstance(norm, float) and norm != 0) or self._backend.has_gradient(value):
                self._model.got_gradient(name)
        if stream.schedule.is_thorough:
            stream.notebook.state(f.STEP_PLACE, self._backend.place())
        return self._norms.of_look(stream, held, by_layer)

    def ends(
        self, snapshot: TrainingSnapshot, stream: Stream, holder: object, samples: int, fetched: int
    ) -> None:
        """The step is over: write what was seen; without a holder it was never taken."""
        if holder is not None:
            parameters = self._model.held(stream.held())
            self._sampling.tell(Probe.update_ends, snapshot, Update(holder, parameters, samples))
        self._largest = max(self._largest, fetched or samples)
        if self.loop_facts.is_news(self._model, stream.schedule) and not self._sampling.follows:
            self.describe(stream)
        snapshot.write(stream.notebook, self._backend)

    def choose_next(self, stream: Stream, budget: Budget, *, looked: bool) -> None:
        """Decide at the end of a step whether the next one is looked at."""
        if looked:
            stream.schedule.looked(stream.step)
        coming = stream.successor
        step, schedule, stage = coming.step + 1, coming.schedule, coming.schedule.stage
        if schedule.takes(step, budget):
            self._sampling.begin(step, thorough=schedule.is_thorough)
            budget.begin_look()
        elif looked and coming is stream:
            self._sampling.begin(step, follows=True)
        else:
            self._sampling.end()
        if schedule.stage != stage:
            coming.notebook.state(f.SAMPLING_GAP, schedule.longest_gap)

    def describe(self, stream: Stream) -> None:
        """State what seldom changes: the model, its data, the habits of the program."""
        facts = {**self._backend.model_facts(self._model.roots), **self._sources.facts}
        facts |= {f.BATCH_SIZE: self._largest} if self._largest else {}
        steps = -(-self._sources.batches // self._objective.passes_per_step)
        facts |= {f.STEPS_PER_EPOCH: steps} if steps else {}
        for fact, value in facts.items():
            stream.notebook.state(fact, value)
        self.loop_facts.write(stream.notebook)
        self.loop_facts.write_parameters(
            stream.notebook, self._model, stream.held(), self._streams.held_by_any()
        )
