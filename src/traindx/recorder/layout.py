"""Whether a layer over sequences takes the samples of a batch for its time steps.

A recurrent layer or an attention without `batch_first` expects (steps, samples, features). Where its first
dimension is as long as the targets of the batch, and its second is not, it was given the samples first: each
of them is a time step to it, and those of a batch mix.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from traindx.facts import LAYOUT_PLACE, MIXED_SAMPLES, MIXING_LAYER
from traindx.recorder.hooks.call_site import assignment_place
from traindx.recorder.model import Model
from traindx.recorder.probes.types import Snapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from torch import Tensor, nn

_DIMENSIONS = 3
"""(steps, samples, features)."""
_LEAST = 2
"""Looks that must agree."""


@dataclass(frozen=True)
class _Output:
    """What a layer over sequences gave in the pass that runs."""

    name: str
    place: str
    steps: int
    samples: int


class Layout:
    """Compares what layers over sequences give with the targets of the same pass."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._first: _Output | None = None
        self._looks = 0
        self._contradicted = False

    def forget(self) -> None:
        """The pass is over; a loss function that is a module is called apart from the model."""
        self._first = None

    def returned(self, module: "nn.Module", outputs: "Sequence[Tensor]") -> None:
        """A module gave its output."""
        from torch import nn

        if self._first is not None or self._contradicted or not outputs:
            return
        if not isinstance(module, nn.RNNBase | nn.MultiheadAttention) or outputs[0].dim() != _DIMENSIONS:
            return
        first, second = (int(length) for length in outputs[0].shape[:2])
        steps, samples = (second, first) if module.batch_first else (first, second)
        self._first = _Output(self._model.module_name(module), self._place(module), steps, samples)

    def _place(self, module: "nn.Module") -> str:
        """The line that makes the module, where its owner is a class of the program."""
        for root in self._model.roots:
            for owner in root.modules():
                for attribute, inner in owner._modules.items():
                    if inner is module and (place := assignment_place(type(owner), attribute)):
                        return place
        return ""

    def compared(self, target: "Tensor", snapshot: Snapshot) -> None:
        """A loss function got the targets of the pass."""
        output, self._first = self._first, None
        if output is None or self._contradicted or not target.dim():
            return
        rows, second = int(target.shape[0]), int(target.shape[1]) if target.dim() > 1 else 0
        if rows == output.samples != output.steps:
            self._contradicted = True
            snapshot.state(MIXED_SAMPLES, 0)
            return
        # With one sample the steps are its targets; targets of both dimensions tell nothing.
        if rows != output.steps or output.samples in (1, rows, second):
            return
        self._looks += 1
        if self._looks >= _LEAST:
            snapshot.state(MIXING_LAYER, output.name)
            snapshot.state(MIXED_SAMPLES, rows)
            snapshot.state(LAYOUT_PLACE, output.place)
