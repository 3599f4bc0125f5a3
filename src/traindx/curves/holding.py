"""Which part of a model is held back from learning."""

from collections.abc import Callable
from dataclasses import dataclass

from traindx.curves.inside import size_of
from traindx.format import count, listed, printable
from traindx.run import Layer, Run

_NAMED = 3


@dataclass(frozen=True)
class Held:
    """Parameters that something holds of, out of all."""

    layers: tuple[Layer, ...]
    share: float
    """Of all values of the model."""
    is_first_part: bool
    """Whether they are the first layers of the model and nothing after them, as a backbone is."""

    @property
    def told(self) -> str:
        """How many they are and what the first are called."""
        names = listed([printable(layer.name, 40) for layer in self.layers], _NAMED)
        return f"{count(len(self.layers), 'parameter')}, {self.share:.0%} of all values ({names}),"


def held_back(run: Run, is_held: Callable[[Layer], bool]) -> Held | None:
    """The parameters of the model that something holds of; None where it holds of none."""
    model = [layer for layer in run.model if layer.kind]
    held = [layer for layer in model if is_held(layer)]
    total = sum(map(size_of, model))
    if not held or not total:
        return None
    first = model[: len(held)] == held and len(held) < len(model)
    return Held(tuple(held), sum(map(size_of, held)) / total, first)
