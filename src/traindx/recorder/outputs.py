"""Outputs of modules that wait until the model has returned, so that all are told together.

Telling each at once costs more than most small modules do themselves. Most outputs stay as they are until the
model has returned, but the next operation may write into the same memory, as a ReLU in place does. torch
counts such writes. So the first output of a module is told at once and watched; later ones wait, until one
is found to have been written into.
"""

import weakref
from dataclasses import dataclass
from operator import and_, attrgetter, eq, methodcaller

from traindx.recorder.model import Model
from traindx.recorder.probes.types import Returned

TYPE_CHECKING = False
if TYPE_CHECKING:
    from torch import Tensor, nn

_LARGEST = 4096
"""Values: a larger output is not held back, and telling it at once is little beside the module itself."""
_MOST = 1024
"""Outputs: what is held while the model runs is at most 16 MB in single precision."""
_VERSION, _MEMORY = attrgetter("_version"), methodcaller("data_ptr")


@dataclass(eq=False, slots=True)
class _Known:
    """A module whose output was seen before."""

    module: "weakref.ref[nn.Module]"
    name: str
    stays: bool | None = None
    """Whether nothing writes into its output; None while that is not known."""
    held: bool = False
    """Whether its output waits."""


class Outputs:
    """What modules gave since the outermost of them was called."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._edition = 0
        self._known: dict[int, _Known] = {}
        self._held: list[_Known] = []
        self._outputs: list[Tensor] = []
        self._versions: list[int] = []
        self._kinds: set[type] = set()
        """Types of tensors."""

    def begin(self) -> None:
        """The outermost module is called."""
        self.drop()
        if self._edition != self._model.edition:
            self._edition = self._model.edition
            self._known.clear()

    def drop(self) -> None:
        """Hold nothing any longer."""
        for known in self._held:
            known.held = False
        self._held, self._outputs, self._versions = [], [], []

    def holds_one_of(self, module: "nn.Module") -> bool:
        """Whether an output of this module waits."""
        known = self._known.get(id(module))
        return known is not None and known.held

    def waits(self, module: "nn.Module", output: "Tensor") -> bool:
        """Hold an output that is known to stay as it is; False where it must be told at once."""
        known = self._known.get(id(module))
        if known is None or not known.stays or known.held or type(output) not in self._kinds:
            return False
        # Another module may have taken the place of one that is gone.
        return known.module() is module and self._hold(known, output)

    def told(self, module: "nn.Module", name: str, output: "Tensor") -> None:
        """Watch an output that was told at once, to learn whether the next one may wait."""
        known = self._known.get(id(module))
        if known is None or known.module() is not module:
            known = self._known[id(module)] = _Known(weakref.ref(module), name)
        if known.stays is None and not known.held:
            self._kinds.add(type(output))
            self._hold(known, output)

    def _hold(self, known: _Known, output: "Tensor") -> bool:
        # What inference mode makes has no graph, and no count of writes.
        if not output.requires_grad or output.numel() > _LARGEST or len(self._held) >= _MOST:
            return False
        known.held = True
        output = output.detach()
        self._held.append(known)
        self._outputs.append(output)
        self._versions.append(output._version)
        return True

    def returned(self) -> Returned:
        """The outputs that waited and are what they were; nothing is held from here on."""
        stay = list(map(eq, map(_VERSION, self._outputs), self._versions))
        # No memory: the program has freed it behind torch's back.
        stay = list(map(and_, stay, map(bool, map(_MEMORY, self._outputs))))
        waited = Returned([], [], [])
        for known, output, stays in zip(self._held, self._outputs, stay, strict=True):
            module = known.module()
            if stays and known.stays and module is not None:
                waited.names.append(known.name)
                waited.modules.append(module)
                waited.outputs.append(output)
            known.stays = stays
        self.drop()
        return waited
