"""What each module puts out: mean, deviation, and the shares of zeros, flat ends and non-finite values."""

from collections.abc import Sequence

from torch import Tensor, nn

from traindx.recorder.probes.types import LiveParameter, Probe, Purpose, Snapshot, Update
from traindx.recorder.tensors.access import are_whole, plain, reckoning
from traindx.recorder.tensors.activation import (
    Activation,
    ActivationRows,
    ActivationWriter,
    activation,
    flat_ends,
    samples_of,
    together,
)

_MOST = 4096
"""Samples of one step: what is held until the backward pass is at most 16 MB."""


class Activations(Probe):
    """Samples every output as it is made and reckons all of them at once when the backward pass begins."""

    def __init__(self) -> None:
        """Begin with nothing seen."""
        self._writer = ActivationWriter()
        self._step = 0
        self._seen: set[str] = set()
        self._alone: list[Activation] = []
        self._together: list[ActivationRows] = []
        self._written = False

    def module_returns(
        self, snapshot: Snapshot, name: str, module: nn.Module, output: Tensor, purpose: Purpose
    ) -> None:
        """Take a sample; of several batches behind one step, of the first."""
        self._follow(snapshot)
        if self._written or name in self._seen or purpose is not Purpose.TRAINING:
            return
        readable = plain(output)
        if readable is not None and output.dim() and len(self._seen) < _MOST:
            self._seen.add(name)
            self._alone.append(activation(name, "", readable, flat_ends(module)))

    def modules_returned(
        self,
        snapshot: Snapshot,
        names: Sequence[str],
        modules: Sequence[nn.Module],
        outputs: Sequence[Tensor],
        purpose: Purpose,
    ) -> None:
        """Take samples of all at once."""
        self._follow(snapshot)
        fresh = self._seen.isdisjoint(names) and len(self._seen) + len(names) <= _MOST
        if not fresh or not are_whole(outputs):
            super().modules_returned(snapshot, names, modules, outputs, purpose)
        elif not self._written and purpose is Purpose.TRAINING:
            self._seen.update(names)
            with reckoning():
                self._together += samples_of(names, modules, outputs)

    def backward_begins(self, snapshot: Snapshot, loss: Tensor, parameters: Sequence[LiveParameter]) -> None:
        """Write what the forward pass has shown."""
        self._writer.write(snapshot, [*together(self._alone), *self._together])
        self._clear()
        self._written = True

    def update_ends(self, snapshot: Snapshot, update: Update) -> None:
        """Begin anew: the next look may be at the step of the same number of another optimizer."""
        self._written = False

    def _follow(self, snapshot: Snapshot) -> None:
        if snapshot.step != self._step:
            self._step = snapshot.step
            self._written = False
            self._clear()

    def _clear(self) -> None:
        self._seen.clear()
        self._alone.clear()
        self._together.clear()


PROBE = Activations
