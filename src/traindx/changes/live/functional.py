"""Activations and dropouts of a model, as modules and as functions that it calls."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import Enum
from functools import cache, wraps
from inspect import signature
from typing import TypeAlias

from traindx.changes import nn, torch
from traindx.changes.live.program import Program
from traindx.changes.types import ChangeSpec
from traindx.format import count

Activation: TypeAlias = "Callable[..., torch.Tensor]"
_DROPOUTS = "Dropout Dropout1d Dropout2d Dropout3d AlphaDropout FeatureAlphaDropout".split()
_ACTIVATIONS = "ReLU LeakyReLU GELU ELU SiLU Tanh Sigmoid".split()
_BENDING = "relu leaky_relu gelu elu silu tanh sigmoid".split()
DROPOUT_FUNCTIONS = "dropout dropout1d dropout2d dropout3d alpha_dropout feature_alpha_dropout".split()
LEARNING = "Linear Conv1d Conv2d Conv3d RNNBase".split()
"""Modules with weights."""


class Place(Enum):
    """Where in a model a function is called."""

    HIDDEN = "hidden"
    """A layer with weights comes after it."""
    OUTPUT = "output"
    """None comes after it."""


Replaced: TypeAlias = "Callable[[Place, Activation], Activation | None]"
"""What is applied to a value instead of a function, which is told with its settings; None leaves it."""


def modules_of(names: Iterable[str]) -> tuple[type[nn.Module], ...]:
    """Classes of torch.nn by their names."""
    return tuple(getattr(nn, name) for name in names)


def followed(model: nn.Module, kinds: tuple[type[nn.Module], ...]) -> list[str]:
    """Where modules of some kinds are that a layer with weights comes after, in the order of the model."""
    found: list[str] = []
    waiting: list[str] = []
    for path, module in model.named_modules():
        if isinstance(module, modules_of(LEARNING)):
            found, waiting = [*found, *waiting], []
        elif isinstance(module, kinds):
            waiting.append(path)
    return found


class Calls:
    """Calls of some functions inside of models: where they stand is learned from the first pass of each."""

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
        program.after_modules(self._passed)

    def watch(self, name: str) -> None:
        """Watch a function under all its names."""
        self._program.wrap_function(name, self._watched)

    def _entered(self, model: nn.Module, _: tuple[object, ...]) -> None:
        self._number, self.model = 0, model
        self._passes[id(model)] = self._passes.get(id(model), 0) + 1

    def _passed(self, module: nn.Module, _: object, __: object) -> None:
        if self.model is None:
            return
        if isinstance(module, modules_of(LEARNING)) and self._number:
            key = id(self.model)
            self._followed[key] = max(self._followed.get(key, 0), self._number)
        if module is self.model:
            self.model = None

    def _watched(
        self, original: Activation, value: torch.Tensor, *args: object, **kwargs: object
    ) -> torch.Tensor:
        model = self.model
        if self._busy or model is None:
            return original(value, *args, **kwargs)
        self._number += 1
        hidden = self._number <= self._followed.get(id(model), 0)

        @wraps(original)
        def as_set(tensor: torch.Tensor) -> torch.Tensor:
            return original(tensor, *args, **kwargs)

        location = Place.HIDDEN if hidden else Place.OUTPUT
        instead = self._replaced(location, as_set) if self._passes[id(model)] > 1 else None
        self._busy = True
        try:
            return (as_set if instead is None else instead)(value)
        finally:
            self._busy = False


Settings = Callable[[float, bool], tuple[float, bool]]
"""What a dropout is called with, and what it is to be called with: its share, and whether it drops."""


def set_dropouts(program: Program, settings: Settings) -> None:
    """Let every dropout that is called have other settings."""
    setter = _Setter(settings)
    program.wrap_function("dropout", setter.dropout)
    for name in DROPOUT_FUNCTIONS[1:]:
        program.patches.wrap(nn.functional, name, setter.dropout)


class _Setter:
    """Some dropouts are written by means of others: the outermost call counts."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._busy = False

    def dropout(self, original: Callable[..., torch.Tensor], *args: object, **kwargs: object) -> torch.Tensor:
        """Call a dropout with other settings."""
        if self._busy:
            return original(*args, **kwargs)
        usual = _usual_settings(original)
        switch = "train" if "train" in usual else "training"
        arguments = {**usual, **dict(zip(usual, args, strict=False)), **kwargs}
        share, drops = arguments["p"], arguments[switch]
        if not isinstance(share, int | float):
            return original(*args, **kwargs)
        share, drops = self._settings(share, bool(drops))
        self._busy = True
        try:
            return original(**{**arguments, "p": share, switch: drops})
        finally:
            self._busy = False


@cache
def _usual_settings(dropout: Callable[..., torch.Tensor]) -> dict[str, object]:
    """The parameters of a dropout and their defaults; torch's own function has no signature."""
    try:
        return {name: parameter.default for name, parameter in signature(dropout).parameters.items()}
    except ValueError:
        return dict.fromkeys(("input", "p", "train"))


class ModelDropout:
    """The dropouts of a program: modules, functions, and those that are added."""

    def __init__(self, program: Program, change: ChangeSpec) -> None:
        self._program, self._change, self._share = program, change, change.number
        self._plain: set[int] = set()
        """Models that drop nothing and bend by functions."""
        set_dropouts(program, self._set)
        program.patches.wrap(nn.functional, "scaled_dot_product_attention", self._of_attention)
        program.on_model(self._entered)
        self._calls = Calls(program, self._bent)
        for name in _BENDING if self._share else ():
            self._calls.watch(name)

    def _entered(self, model: nn.Module) -> None:
        """Set what is a module; else find places to drop behind."""
        dropouts = [module for module in model.modules() if isinstance(module, modules_of(_DROPOUTS))]
        for dropout in dropouts:
            self._applied(dropout.p)
            dropout.p = self._share
        inner = [
            module for module in model.modules() if isinstance(module, nn.RNNBase | nn.MultiheadAttention)
        ]
        for other in (part for part in inner if part.dropout):
            self._applied(other.dropout)
            other.dropout, dropouts = self._share, [*dropouts, other]
        if dropouts or not self._share or any(_calls_dropout(module) for module in model.modules()):
            return
        recurrent = [module for module in model.modules() if isinstance(module, nn.RNNBase)]
        hidden = [*map(model.get_submodule, followed(model, modules_of(_ACTIVATIONS)))] or recurrent
        if not hidden:
            self._plain.add(id(model))
            return
        kind = "recurrent layer" if hidden is recurrent else "activation"
        self._program.applied(self._change, f"dropout {self._share:g} after {count(len(hidden), kind)}")
        for each in hidden:
            each.register_forward_hook(self._dropped)

    def _applied(self, before: object) -> None:
        self._program.applied(self._change, f"dropout {before:g} becomes {self._share:g}")

    def _set(self, share: float, drops: bool) -> tuple[float, bool]:
        if share != self._share:
            self._applied(share)
        return self._share, drops

    def _of_attention(
        self, original: Callable[..., torch.Tensor], *args: object, **kwargs: object
    ) -> torch.Tensor:
        index = 4
        share = args[index] if len(args) > index else kwargs.get("dropout_p")
        if not share or share == self._share:
            return original(*args, **kwargs)
        self._applied(share)
        if len(args) > index:
            return original(*args[:index], self._share, *args[index + 1 :], **kwargs)
        return original(*args, **{**kwargs, "dropout_p": self._share})

    def _bent(self, location: Place, original: Activation) -> Activation | None:
        """An activation that is called, with a dropout behind it."""
        model = self._calls.model
        if location is Place.OUTPUT or model is None or id(model) not in self._plain or not model.training:
            return None
        self._program.applied(self._change, f"dropout {self._share:g} after functional activations")
        return lambda value: nn.functional.dropout(original(value), self._share)

    def _dropped(self, module: nn.Module, _: object, output: object) -> object:
        if not module.training or not torch.is_grad_enabled():
            return None
        if isinstance(output, tuple) and isinstance(output[0], torch.Tensor):
            return (nn.functional.dropout(output[0], self._share), *output[1:])
        return nn.functional.dropout(output, self._share) if isinstance(output, torch.Tensor) else None


def _calls_dropout(module: nn.Module) -> bool:
    """Whether the code of a module names a dropout: it is a function there where no module is one."""
    if type(module).__module__.startswith("torch.nn."):
        return False
    code = getattr(type(module).forward, "__code__", None)
    return code is not None and any("dropout" in name for name in code.co_names)
