"""What each module puts out: mean, deviation, and the shares of zeros, flat ends and non-finite values."""

from collections.abc import Sequence

from torch import Tensor, nn

from traindx.probe import Look, Parameter, Probe, Purpose, Update
from traindx.tensors.activation import Activation, ActivationWriter, activation
from traindx.tensors.bounded import flat_ends
from traindx.tensors.plain import plain

_MOST = 4096
"""Samples of one step: what is held until the backward pass is at most 16 MB."""


class Activations(Probe):
    """Samples every output as it is made and reckons all of them at once when the backward pass begins."""

    def __init__(self) -> None:
        """Begin with nothing seen."""
        self._writer = ActivationWriter()
        self._step = 0
        self._samples: dict[str, Activation] = {}
        self._written = False

    def module_returns(
        self, look: Look, name: str, module: nn.Module, output: Tensor, purpose: Purpose
    ) -> None:
        """Take a sample; of several batches behind one step, of the first."""
        if look.step != self._step:
            self._step = look.step
            self._samples.clear()
            self._written = False
        if self._written or name in self._samples or purpose is not Purpose.TRAINING:
            return
        readable = plain(output)
        if readable is not None and output.dim() and len(self._samples) < _MOST:
            self._samples[name] = activation(name, "", readable, flat_ends(module))

    def backward_begins(self, look: Look, loss: Tensor, parameters: Sequence[Parameter]) -> None:
        """Write what the forward pass has shown."""
        self._writer.write(look, list(self._samples.values()))
        self._samples.clear()
        self._written = True

    def update_ends(self, look: Look, update: Update) -> None:
        """Begin anew: the next look may be at the step of the same number of another optimizer."""
        self._written = False


PROBE = Activations
