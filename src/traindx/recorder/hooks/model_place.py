"""Where the program writes the class of its model."""

from collections.abc import Sequence
from weakref import WeakKeyDictionary

from torch import nn

from traindx.facts import MODEL_PLACE
from traindx.recorder.hooks.places import class_place
from traindx.run import Fact, Scalar

_WRAPPED = ("_orig_mod", "module")
"""Under which torch.compile and DistributedDataParallel keep the model."""
_PLACES: WeakKeyDictionary[type, str] = WeakKeyDictionary()


def model_place(models: Sequence[nn.Module]) -> dict[Fact, Scalar]:
    """The place of the first model whose class is the program's own; nothing where all are a library's."""
    found = next(filter(None, map(_place, models)), "")
    return {MODEL_PLACE: found} if found else {}


def _place(model: nn.Module) -> str:
    where = _of(type(model))
    for name in _WRAPPED:
        if not where and (inner := dict(model.named_children()).get(name)) is not None:
            model = inner
            where = _of(type(model))
    return where


def _of(kind: type) -> str:
    if kind not in _PLACES:
        _PLACES[kind] = class_place(kind)
    return _PLACES[kind]
