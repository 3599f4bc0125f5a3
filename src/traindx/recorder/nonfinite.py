"""The first NaN or infinity of a training: in which layer and operation it arose, and in which batch."""

from math import isfinite

from traindx.facts import NONFINITE_SOURCE
from traindx.recorder.model import Model
from traindx.recorder.streams import Stream
from traindx.run import Event, EventKind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from torch import Tensor

    from traindx.recorder.hooks.torch_backend import TorchBackend
    from traindx.recorder.probes.types import Value


class Nonfinite:
    """Asks for the origin once for the loss and once for the gradients."""

    def __init__(self, backend: "TorchBackend", model: Model) -> None:
        self._backend, self._model = backend, model
        self.batches = 0
        """Backward passes so far."""
        self._trace: object = None
        self._leave_out = False
        self._asked: set[str] = set()
        self._events: list[Event] = []
        self._source = ""
        """What brought in the first value that was not finite."""
        self.inspected = 0
        """The step of the first loss that was not finite."""

    def in_loss(self, loss: "Tensor", value: "Value", step: int) -> bool:
        """Look at the loss of a step before its backward pass; true for the first that is not finite."""
        if "loss" in self._asked or not isinstance(value, float) or isfinite(value):
            return False
        self._asked.add("loss")
        self.inspected = step
        origin = self._backend.forward_origin(loss, self._model.parameter_names())
        says = origin.says if origin else f"the loss is {value}; its graph does not show why"
        if origin and origin.source.value == "parameter" and step > 1:
            says += f" since the update of step {step - 1} (its gradient was not sampled)"
        layer, operation = (origin.layer, origin.operation) if origin else ("", "")
        self._source = self._source or (origin.source.value if origin else "")
        self._events.append(Event(EventKind.NONFINITE, says, step, layer, operation, self.batches + 1))
        return True

    def trace(self, loss: "Tensor") -> None:
        """Keep what tells the origin of bad gradients, until the step is taken."""
        self.batches += 1
        if "gradients" not in self._asked:
            self._trace = self._backend.backtrace(loss)

    def expected(self) -> None:
        """The program has noticed bad gradients itself, and leaves this step out."""
        self._trace = None
        self._leave_out = True

    def in_gradients(self, norm: "Value | None", stream: Stream) -> None:
        """Look at the norm of the gradients before the parameters change."""
        trace, self._trace = self._trace, None
        if self._leave_out:
            self._leave_out = False
            return
        if norm is None or not isinstance(norm, float) or isfinite(norm) or self._asked:
            return
        self._asked.add("gradients")
        named = {parameter.name: parameter.value for parameter in self._model.held(stream.held())}
        origin = self._backend.backward_origin(trace, named)
        says = origin.says if origin else "gradients are NaN or infinite, but the loss is finite"
        self._source = self._source or "gradient"
        layer, operation = (origin.layer, origin.operation) if origin else ("", "")
        self._events.append(Event(EventKind.NONFINITE, says, stream.step, layer, operation, self.batches))

    def write(self, stream: Stream) -> None:
        """Hand over what was found."""
        for event in self._events:
            stream.notebook.happened(event)
        if self._events and self._source:
            stream.notebook.state(NONFINITE_SOURCE, self._source)
        self._events.clear()
