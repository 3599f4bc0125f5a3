"""Activations that a model calls as functions: which a layer follows, and which stand at its output."""

from collections.abc import Callable
from enum import Enum
from functools import wraps

import torch
from torch import Tensor, nn
from torch.nn import functional

from traindx.surgery.program import Program

_LEARNING = (nn.Linear, nn.Conv1d, nn.Conv2d, nn.Conv3d, nn.RNNBase)
Activation = Callable[..., Tensor]


class Place(Enum):
    """Where in a model a function is called."""

    HIDDEN = "hidden"
    """A layer with weights comes after it."""
    OUTPUT = "output"
    """None comes after it."""


class Calls:
    """Calls of some functions inside of models: where they stand is learnt from the first pass."""

    def __init__(self, program: Program, replaced: Callable[[Place, Activation], Activation | None]) -> None:
        """`replaced` tells what is called in the place of a function; None leaves it."""
        self._program, self._replaced = program, replaced
        self._number = 0
        """Calls since the model was entered."""
        self._followed = -1
        """The last call that a layer with weights came after."""
        self._passes = 0
        self._inside = False
        """Whether a model is at work: what is called outside of it is none of its activations."""
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

    def _entered(self, _: nn.Module, __: tuple[object, ...]) -> None:
        self._number, self._inside = 0, True
        self._passes += 1

    def _passed(self, module: nn.Module, _: object, __: object) -> None:
        if isinstance(module, _LEARNING) and self._number:
            self._followed = max(self._followed, self._number)
        if self._inside and any(module is one for one in self._program.models):
            self._inside = False

    def _watched(self, original: Activation) -> Activation:
        @wraps(original)
        def activation(value: Tensor, *args: object, **kwargs: object) -> Tensor:
            if self._busy or not self._inside:
                return original(value, *args, **kwargs)
            self._number += 1
            place = Place.HIDDEN if self._number <= self._followed else Place.OUTPUT
            instead = self._replaced(place, original) if self._passes > 1 else None
            if instead is not None:
                return instead(value)
            self._busy = True
            try:
                return original(value, *args, **kwargs)
            finally:
                self._busy = False

        return activation
