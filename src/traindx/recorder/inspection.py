"""A step that is looked at: what probes are told around the update, and what is written when it is over."""

from traindx.facts import BATCH_SIZE, STEP_PLACE, STEPS_PER_EPOCH
from traindx.quantities import GRADIENT_NORM
from traindx.recorder.loop_facts import LoopFacts
from traindx.recorder.model import Model
from traindx.recorder.probes.types import Probe, Update
from traindx.recorder.sampling import Sampling, TrainingSnapshot
from traindx.recorder.schedule import Budget
from traindx.recorder.sources import Sources
from traindx.recorder.step import Norms, Objective
from traindx.recorder.streams import Stream, Streams

TYPE_CHECKING = False
if TYPE_CHECKING:
    from torch import Tensor

    from traindx.recorder.hooks.torch_backend import TorchBackend
    from traindx.recorder.probes.types import Value

_THOROUGH_AT_FIRST, _THOROUGH_EVERY = 4, 8
"""Looks that also tell what seldom changes, of the model and of the program."""


def is_thorough(looks: int) -> bool:
    """Whether the look after so many others tells everything: at first, and then now and again."""
    return looks < _THOROUGH_AT_FIRST or looks % _THOROUGH_EVERY == 0


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
        if is_thorough(stream.schedule.looks):
            stream.notebook.state(STEP_PLACE, self._backend.place())
        return self._norms.of_look(stream, held, by_layer)

    def ends(
        self, snapshot: TrainingSnapshot, stream: Stream, holder: object, samples: int, fetched: int
    ) -> None:
        """The step is over: write what was seen; without a holder it was never taken."""
        if holder is not None:
            parameters = self._model.held(stream.held())
            self._sampling.tell(Probe.update_ends, snapshot, Update(holder, parameters, samples))
        self._largest = max(self._largest, fetched or samples)
        if not self._sampling.follows and is_thorough(stream.schedule.looks):
            self.describe(stream)
        snapshot.write(stream.notebook, self._backend)

    def choose_next(self, stream: Stream, budget: Budget, *, looked: bool) -> None:
        """Decide at the end of a step whether the next one is looked at."""
        if looked:
            stream.schedule.looked(stream.step)
        coming = stream.successor
        step = coming.step + 1
        if coming.schedule.takes(step, budget):
            self._sampling.begin(step, thorough=is_thorough(coming.schedule.looks))
        elif looked and coming is stream:
            self._sampling.begin(step, follows=True)
        else:
            self._sampling.end()

    def describe(self, stream: Stream) -> None:
        """State what seldom changes: the model, its data, the habits of the program."""
        facts = {**self._backend.model_facts(self._model.roots), **self._sources.facts}
        facts |= {BATCH_SIZE: self._largest} if self._largest else {}
        steps = -(-self._sources.batches // self._objective.passes_per_step)
        facts |= {STEPS_PER_EPOCH: steps} if steps else {}
        for fact, value in facts.items():
            stream.notebook.state(fact, value)
        self.loop_facts.write(stream.notebook)
        self.loop_facts.write_parameters(
            stream.notebook, self._model, stream.held(), self._streams.held_by_any()
        )
