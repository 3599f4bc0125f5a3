"""Activations and dropouts of a model, as modules and as functions that it calls."""

from collections.abc import Callable
from enum import Enum
from functools import wraps
from inspect import signature

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


_FUNCTIONS = "dropout dropout1d dropout2d dropout3d alpha_dropout feature_alpha_dropout".split()

Settings = Callable[[float, bool], tuple[float, bool]]
"""What a dropout is called with, and what it is to be called with: its share, and whether it drops."""


def set_dropouts(program: Program, settings: Settings) -> None:
    """Let every dropout that is called have other settings."""
    setter = _Setter(settings)
    for name in _FUNCTIONS:
        program.patches.replace(functional, name, setter.instead)
    program.patches.replace(torch, "dropout", setter.instead)


class _Setter:
    """Some dropouts are written by means of others: the outermost call counts."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._busy = False

    def instead(self, original: "Callable[..., Tensor]") -> "Callable[..., Tensor]":
        # torch's own is no Python function: it has no signature, and no defaults.
        usual: dict[str, object] = (
            dict.fromkeys(("input", "p", "train"))
            if original is torch.dropout
            else {name: one.default for name, one in signature(original).parameters.items()}
        )
        switch = "train" if "train" in usual else "training"

        @wraps(original)
        def dropout(*args: object, **kwargs: object) -> Tensor:
            if self._busy:
                return original(*args, **kwargs)
            given = {**usual, **dict(zip(usual, args, strict=False)), **kwargs}
            share, drops = given["p"], given[switch]
            if not isinstance(share, int | float):
                return original(*args, **kwargs)
            share, drops = self._settings(share, bool(drops))
            self._busy = True
            try:
                return original(**{**given, "p": share, switch: drops})
            finally:
                self._busy = False

        return dropout
