"""The norm of the whole gradient: at every step where that is cheap, else as often as it may cost."""

from time import perf_counter

from traindx.facts import GRADIENT_CLIP
from traindx.recording.sight import Sight
from traindx.recording.stream import Stream

TYPE_CHECKING = False
if TYPE_CHECKING:
    from torch import Tensor

    from traindx.recording.sight import Value

_SHARE = 0.12
"""Of the budget: what norms of plain steps may take."""


class Norms:
    """Norms of gradients, by clipping or by our own sum."""

    def __init__(self, sight: Sight) -> None:
        self._sight = sight
        self._clipped: tuple[Value, float] | None = None
        self._cost = 0.0

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

    def adapt(self, stream: Stream, share: float, step_seconds: float) -> None:
        """Choose how often norms are computed at steps that are not looked at."""
        affordable = _SHARE * share * step_seconds
        stream.norm_every = max(1, min(round(self._cost / affordable), 100)) if affordable > 0 else 1
