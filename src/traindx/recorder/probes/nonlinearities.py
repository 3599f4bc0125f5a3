"""How many linear layers the model has, how many operations bend, and which layers follow on one another.

Two linear layers with nothing between that bends are one linear layer. The graph of the loss shows the
operations themselves, whether they are modules, functions or written by hand. What an activation does to
the output alone, right before the loss function, is left out: it gives the layers before it nothing.
"""

from collections.abc import Sequence

from torch import Tensor

from traindx.facts import LINEAR_IN_A_ROW, LINEAR_LAYERS, NONLINEARITIES
from traindx.recorder.graph.linearity import linearity
from traindx.recorder.probes.types import LiveParameter, LossCall, Probe, Purpose, Snapshot

_LOOKS = 4
"""After which the model is known: two for each of two that take turns."""
_FRUITLESS = 3
"""Looks without a graph that can be read after which none is searched."""
_MOST_NAMES = 32
_MOST_PREDICTIONS = 16


class Nonlinearities(Probe):
    """Reads the graph of the loss at the first looks."""

    def __init__(self) -> None:
        """Begin with nothing seen."""
        self._looks = self._fruitless = 0
        self._step = 0
        self._predictions: list[int] = []
        """Sequence numbers of the nodes that made the predictions: numbers keep no graph alive."""

    def loss_is_computed(self, snapshot: Snapshot, call: LossCall) -> None:
        """Remember where the model ends."""
        if self._is_done or call.purpose is not Purpose.TRAINING:
            return
        if snapshot.step != self._step:
            self._step = snapshot.step
            self._predictions.clear()
        node = call.prediction.grad_fn
        if node is not None and len(self._predictions) < _MOST_PREDICTIONS:
            self._predictions.append(node._sequence_nr())

    def backward_begins(self, snapshot: Snapshot, loss: Tensor, parameters: Sequence[LiveParameter]) -> None:
        """State what the graph shows."""
        if self._is_done:
            return
        names = {id(one.value): one.name for one in parameters}
        node = loss.grad_fn
        found = None if node is None else linearity(node, self._predictions, names)
        self._predictions.clear()
        if found is None or not found.layers:
            self._fruitless += 1
            return
        self._looks += 1
        snapshot.state(LINEAR_LAYERS, found.layers)
        snapshot.state(NONLINEARITIES, found.bends)
        snapshot.state(LINEAR_IN_A_ROW, ", ".join(found.in_a_row[:_MOST_NAMES]))

    @property
    def _is_done(self) -> bool:
        return self._looks >= _LOOKS or self._fruitless >= _FRUITLESS


PROBE = Nonlinearities
