"""Whether the input meets a normalisation before anything else that learns: then its scale is no matter."""

import weakref
from collections.abc import Sequence

from torch import Tensor, nn

from traindx.facts import FIRST_LAYER_NORMALISES
from traindx.recorder.probes.types import Probe, Purpose, Snapshot

_NORMALISING = ("BatchNorm", "LayerNorm", "InstanceNorm", "GroupNorm", "RMSNorm", "Normalization")
"""Parts of the names of classes, of torch, of Keras and of others: some have no parameters."""
_LOOKS = 8
"""After which every model of the program has been seen."""


class FirstLayer(Probe):
    """Reads the order of modules when a model is first seen: outputs of known ones may be told later."""

    def __init__(self) -> None:
        """Begin with nothing seen."""
        # By identity: a module of the program's own may compare or hash as it likes.
        self._seen: dict[int, weakref.ref[nn.Module]] = {}
        self._step = self._looks = 0

    def module_returns(
        self, snapshot: Snapshot, name: str, module: nn.Module, output: Tensor, purpose: Purpose
    ) -> None:
        """State what the first module is that normalises or has parameters."""
        if self._looks > _LOOKS or purpose is not Purpose.TRAINING:
            return
        normalises = any(word in type(module).__name__ for word in _NORMALISING)
        if not normalises and not any(one is not None for one in module._parameters.values()):
            return
        if snapshot.step != self._step:
            self._step = snapshot.step
            self._looks += 1
            if not self._knows(module):
                snapshot.state(FIRST_LAYER_NORMALISES, normalises)
        self._seen[id(module)] = weakref.ref(module)

    def modules_returned(
        self,
        snapshot: Snapshot,
        names: Sequence[str],
        modules: Sequence[nn.Module],
        outputs: Sequence[Tensor],
        purpose: Purpose,
    ) -> None:
        """What waited has been seen before."""

    def _knows(self, module: nn.Module) -> bool:
        known = self._seen.get(id(module))
        return known is not None and known() is module


PROBE = FirstLayer
