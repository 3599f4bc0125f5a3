"""The norm of the whole gradient: at every step where that is cheap, else as often as it may cost."""

from collections.abc import Mapping
from math import isclose
from time import perf_counter

from traindx.facts import GRADIENT_CLIP
from traindx.recorder.probes.types import Where
from traindx.recorder.sight import Sight
from traindx.recorder.stream import Stream

TYPE_CHECKING = False
if TYPE_CHECKING:
    from torch import Tensor

    from traindx.recorder.sight import Value

_SHARE = 0.12
"""Of the budget: what norms of plain steps may take."""


class Norms:
    """Norms of gradients, by clipping or by our own sum."""

    def __init__(self, sight: Sight) -> None:
        self._sight = sight
        self._clipped: tuple[Value, float] | None = None
        self._cost = 0.0
        self._layers: dict[int, int] = {}
        """Per stream, how many layers have norms that make up that of the whole."""

    @property
    def is_known(self) -> bool:
        """Whether the program computed the norm of this step itself."""
        return self._clipped is not None

    def clipped(self, norm: "Tensor", limit: float) -> None:
        """The program computed the norm itself, to clip by it."""
        self._clipped = (self._sight.number(norm), limit)

    def of_step(self, stream: Stream, parameters: "list[Tensor] | None") -> "Value | None":
        """Write the norm of this step, if it is known or due; None where it is not."""
        if self._clipped is not None:
            norm, limit = self._clipped
            self._clipped = None
            stream.notebook.state(GRADIENT_CLIP, limit)
            stream.write_norms(norm, limit)
            return norm
        if parameters is None and stream.step % stream.norm_every:
            return None
        began = perf_counter()
        total = self._sight.total_norm(stream.held() if parameters is None else parameters)
        if total is None:
            return None
        stream.write_norms(total, None)
        cost = perf_counter() - began
        # The mean: code that has not run for a while is slower than the best of its times.
        self._cost = 0.9 * self._cost + 0.1 * cost if self._cost else cost
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

    def adapt(self, stream: Stream, share: float, step_seconds: float) -> None:
        """Choose how often norms are computed at steps that are not looked at."""
        affordable = _SHARE * share * step_seconds
        stream.norm_every = max(1, min(round(self._cost / affordable), 100)) if affordable > 0 else 1
