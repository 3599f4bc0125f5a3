"""Faults of a model that its calls show: samples taken for time steps, and modules that it does not list.

A recurrent layer or an attention without `batch_first` expects (steps, samples, features). Where its first
dimension is as long as the targets of the batch, and its second is not, it was given the samples first: each
of them is a time step to it, and those of a batch mix.

Modules that are called and not listed are kept in a plain list, or made anew in the forward pass. Neither
`model.parameters()` nor an optimizer that was given these knows of their weights.
"""

import weakref
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from traindx.facts import (
    LAYOUT_PLACE,
    MADE_ANEW,
    MADE_ANEW_PLACE,
    MIXED_SAMPLES,
    MIXING_LAYER,
    UNLISTED_PARTS,
    UNLISTED_PLACE,
)
from traindx.recorder.hooks.call_site import assignment_place
from traindx.recorder.model import Model
from traindx.recorder.probes.types import Snapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from torch import Tensor, nn

    from traindx.recorder.hooks.torch_backend import TorchBackend

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
                    if inner is module and (location := assignment_place(type(owner), attribute)):
                        return location
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


_MOST = 200
"""Unlisted modules that are followed."""
_DEEPEST = 2
"""Lists in lists that are searched for a module."""
_LEAST_MADE = 2
"""Modules of a kind that were gone after their call, from which on they are made anew each time."""


class UnlistedParts:
    """Learns of such modules as they are called."""

    def __init__(self, model: Model, backend: "TorchBackend") -> None:
        self._model, self._backend = model, backend
        self._homeless: list[tuple[weakref.ref[nn.Module], str]] = []
        self._gone: Counter[str] = Counter()

    def called(self, module: "nn.Module", snapshot: Snapshot) -> None:
        """A module is called inside a model, with gradients."""
        # One in eval mode, or with nothing to learn, is used and not trained: its being hidden is a device.
        if self._model.lists(module) or not module.training or self._model.unlisted >= _MOST:
            return
        if not any(value.requires_grad for value in module.parameters()):
            return
        home = next(_homes(self._model.roots, module), None)
        if home is None:
            self._made(module, snapshot)
            return
        owner, attribute, path = home
        self._model.meet_part(module, path)
        snapshot.state(UNLISTED_PARTS, attribute)
        snapshot.state(UNLISTED_PLACE, assignment_place(type(owner), attribute))

    def _made(self, module: "nn.Module", snapshot: Snapshot) -> None:
        """A module that nothing of the model holds; one that is gone after its call was made for it."""
        self._gone.update(kind for ref, kind in self._homeless if ref() is None)
        self._homeless = [entry for entry in self._homeless if entry[0]() is not None][:_MOST]
        self._homeless.append((weakref.ref(module), kind := _kind(module)))
        if self._gone[kind] >= _LEAST_MADE:
            snapshot.state(MADE_ANEW, type(module).__name__)
            snapshot.state(MADE_ANEW_PLACE, self._backend.place())


def _kind(module: "nn.Module") -> str:
    """What modules have in common that are made by the same line."""
    shapes = [tuple(value.shape) for value in module.parameters()]
    return f"{type(module).__name__} {shapes}"


def _homes(roots: "Iterable[nn.Module]", module: "nn.Module") -> "Iterator[tuple[nn.Module, str, str]]":
    """The modules whose plain attributes hold a module, with the attribute and the path from the root."""
    for root in roots:
        for path, owner in root.named_modules():
            for attribute, value in vars(owner).items():
                # Those of nn.Module itself are dicts, too.
                if attribute.startswith("_"):
                    continue
                for inner in _paths(value, module, _DEEPEST):
                    yield owner, attribute, ".".join(part for part in (path, attribute, *inner) if part)


def _paths(value: object, module: "nn.Module", depth: int) -> Iterator[tuple[str, ...]]:
    """The keys that lead to a module in lists and dicts."""
    if value is module:
        yield ()
    elif depth and isinstance(value, Mapping):
        for key, inner in list(value.items()):
            yield from ((str(key), *rest) for rest in _paths(inner, module, depth - 1))
    elif depth and isinstance(value, list | tuple):
        for index, inner in enumerate(value):
            yield from ((str(index), *rest) for rest in _paths(inner, module, depth - 1))
