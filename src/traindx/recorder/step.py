"""What is known of one step: where its time went, its loss, and the norm of the whole gradient."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import isclose

from traindx.facts import ACCUMULATION, BACKWARD_PLACE, BACKWARDS_PER_STEP, GRADIENT_CLIP, LOSS_DIVISOR
from traindx.recorder.probes.types import Where
from traindx.recorder.sampling import Notebook
from traindx.recorder.streams import Stream

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
        self.mark = now
        self.waited = 0.0

    def finish(self, now: float, ours: float = 0.0) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Wall, step, backward and update time; data, forward and other time where a loader tells them."""
        self.update += now - self.asked
        # What recording took is no time of the program's.
        step = max(now - self.mark - ours, 0.0)
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
        notebook.state(BACKWARD_PLACE, places[-1])
        notebook.state(BACKWARDS_PER_STEP, len(places))
        self._accumulates = len(set(places)) == 1
        if len(places) > 1 and self._accumulates:
            notebook.state(ACCUMULATION, len(places))
            self.passes_per_step = len(places)
            # A weight of the loss is no division by the number of batches.
            divided = abs(divisors[-1] - len(places)) < 0.01 * len(places)
            self._divisor = divisors[-1] if divided else 1.0
        if divisors[-1] != 1.0:
            notebook.state(LOSS_DIVISOR, divisors[-1])


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
            stream.notebook.state(GRADIENT_CLIP, limit)
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
