"""Activations of a model: which a layer follows, and which stand at its output."""

from collections.abc import Callable
from enum import Enum
from functools import wraps

import torch
from torch import Tensor, nn
from torch.nn import functional

from traindx.changes.live.program import Program

_LEARNING = (nn.Linear, nn.Conv1d, nn.Conv2d, nn.Conv3d, nn.RNNBase)
Activation = Callable[..., Tensor]


class Place(Enum):
    """Where in a model a function is called."""

    HIDDEN = "hidden"
    """A layer with weights comes after it."""
    OUTPUT = "output"
    """None comes after it."""


Replaced = Callable[[Place, Activation], Activation | None]
"""What is applied to a value in the place of a function, which is told with its settings; None leaves it."""


def followed(model: nn.Module, kinds: tuple[type[nn.Module], ...]) -> list[nn.Module]:
    """Modules of some kinds that a layer with weights comes after, in the order they were made in."""
    found: list[nn.Module] = []
    waiting: list[nn.Module] = []
    for module in model.modules():
        if isinstance(module, _LEARNING):
            found, waiting = [*found, *waiting], []
        elif isinstance(module, kinds):
            waiting.append(module)
    return found


class Calls:
    """Calls of some functions inside of models: where they stand is learnt from the first pass of each."""

    def __init__(self, program: Program, replaced: Replaced) -> None:
        self._program, self._replaced = program, replaced
        self.model: nn.Module | None = None
        """The model at work: what is called outside of one is none of its activations."""
        self._number = 0
        """Calls since it was entered."""
        self._followed: dict[int, int] = {}
        """The last call of each model that a layer with weights came after."""
        self._passes: dict[int, int] = {}
        self._busy = False
        """Inside of a call: the function is written by means of the method."""
        program.on_input(self._entered)
        handle = nn.modules.module.register_module_forward_hook(self._passed)
        program.patches.on_undo(handle.remove)

    def watch(self, name: str) -> None:
        """Watch a function under all its names."""
        for owner in (torch, functional):
            self._program.patches.replace(owner, name, self._watched)
        self._program.patches.shadow(Tensor, name, self._watched)

    def _entered(self, model: nn.Module, _: tuple[object, ...]) -> None:
        self._number, self.model = 0, model
        self._passes[id(model)] = self._passes.get(id(model), 0) + 1

    def _passed(self, module: nn.Module, _: object, __: object) -> None:
        if self.model is None:
            return
        if isinstance(module, _LEARNING) and self._number:
            key = id(self.model)
            self._followed[key] = max(self._followed.get(key, 0), self._number)
        if module is self.model:
            self.model = None

    def _watched(self, original: Activation) -> Activation:
        @wraps(original)
        def activation(value: Tensor, *args: object, **kwargs: object) -> Tensor:
            model = self.model
            if self._busy or model is None:
                return original(value, *args, **kwargs)
            self._number += 1
            hidden = self._number <= self._followed.get(id(model), 0)
            place = Place.HIDDEN if hidden else Place.OUTPUT

            @wraps(original)
            def as_set(one: Tensor) -> Tensor:
                return original(one, *args, **kwargs)

            instead = self._replaced(place, as_set) if self._passes[id(model)] > 1 else None
            self._busy = True
            try:
                return (as_set if instead is None else instead)(value)
            finally:
                self._busy = False

        return activation
