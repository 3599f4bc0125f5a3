"""Modules that a model calls and does not list: kept in a plain list, or made anew in its forward pass.

Neither `model.parameters()` nor an optimizer that was given these knows of their weights.
"""

import weakref
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from traindx.facts import MADE_ANEW, MADE_ANEW_PLACE, UNLISTED_PARTS, UNLISTED_PLACE
from traindx.recorder.hooks.call_site import assignment_place
from traindx.recorder.model import Model
from traindx.recorder.probes.types import Snapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from torch import nn

    from traindx.recorder.hooks.torch_backend import TorchBackend

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
        self._homeless = [one for one in self._homeless if one[0]() is not None][:_MOST]
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
