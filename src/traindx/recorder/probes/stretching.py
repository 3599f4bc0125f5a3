"""Whether a loss that is written out by hand pairs every prediction with every target."""

from collections.abc import Sequence

from torch import Tensor

from traindx.facts import LOSS_SHAPES
from traindx.recorder.graph.stretching import stretched
from traindx.recorder.probes.types import LiveParameter, Look, LossCall, Probe, Purpose

_LOOKS = 3
"""After which the loss is known."""


class Stretching(Probe):
    """Reads the shapes in the graph of the loss at the first looks."""

    def __init__(self) -> None:
        """Begin with nothing seen."""
        self._looks = 0
        self._is_called = False

    def loss_is_computed(self, look: Look, call: LossCall) -> None:
        """Leave losses to the probe that sees them, where torch's own functions compute them."""
        self._is_called |= call.purpose is Purpose.TRAINING

    def backward_begins(self, look: Look, loss: Tensor, parameters: Sequence[LiveParameter]) -> None:
        """State the shapes where one was stretched to the other."""
        if self._is_called or self._looks >= _LOOKS:
            return
        self._looks += 1
        found = None if loss.grad_fn is None else stretched(loss.grad_fn)
        if found is not None:
            look.state(LOSS_SHAPES, f"{found[0]} against {found[1]}")


PROBE = Stretching
