"""The gradients of an update, gathered once for all probes that read them."""

from dataclasses import dataclass
from weakref import WeakKeyDictionary

from torch import Tensor

from traindx.recorder.probes.types import Update
from traindx.recorder.tensors.plain import are_plain, gradient


@dataclass(frozen=True, eq=False)
class Gathered:
    """Gradients that may be read."""

    names: list[str]
    """Of the parameters they belong to."""
    values: list[Tensor]


_known: WeakKeyDictionary[Update, Gathered] = WeakKeyDictionary()
"""As long as the update lives, which is while probes are told of it."""


def gradients_of(update: Update) -> Gathered:
    """The gradients that may be read, of sparse ones their values; to be asked within `reckoning`."""
    found = _known.get(update)
    if found is None:
        found = _known[update] = _gathered(update)
    return found


def _gathered(update: Update) -> Gathered:
    names, values = list(update.names), [value.grad for value in update.values]
    if any(value is None for value in values) or not are_plain(values):
        both = [
            (name, found)
            for name, value in zip(names, update.values, strict=True)
            if (found := gradient(value)) is not None
        ]
        names, values = [name for name, _ in both], [value for _, value in both]
    return Gathered(names, values)
