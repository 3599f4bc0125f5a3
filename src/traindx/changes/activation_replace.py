"""Other activations between the layers."""

from collections.abc import Callable
from functools import wraps

import torch
from torch import Tensor, nn
from torch.nn import functional

from traindx.change import Change
from traindx.errors import TraindxError
from traindx.surgery.operation import Operation
from traindx.surgery.program import Program

_MODULES: dict[str, tuple[type[nn.Module], ...]] = {
    "relu": (nn.ReLU, nn.ReLU6),
    "sigmoid": (nn.Sigmoid, nn.Hardsigmoid),
    "tanh": (nn.Tanh, nn.Hardtanh),
    "saturating": (nn.Sigmoid, nn.Hardsigmoid, nn.Tanh, nn.Hardtanh, nn.Softsign),
}
_FUNCTIONS = {"saturating": ("sigmoid", "tanh")}
"""What a word stands for among functions, where it is not one itself."""
_NEW: dict[str, Callable[[], nn.Module]] = {
    "leaky_relu": lambda: nn.LeakyReLU(0.1),
    "relu": nn.ReLU,
    "gelu": nn.GELU,
    "elu": nn.ELU,
    "silu": nn.SiLU,
    "tanh": nn.Tanh,
}
_LEARNING = (nn.Linear, nn.Conv1d, nn.Conv2d, nn.Conv3d, nn.RNNBase)


def begin(program: Program, change: Change) -> None:
    """Exchange activations that are modules or functions; what the output passes last stays."""
    if len(change.words) != 2 or change.words[0] not in _MODULES or change.words[1] not in _NEW:
        known = f"one of {', '.join(_MODULES)} by one of {', '.join(_NEW)}"
        raise TraindxError(f'"{change}": {known}; for example: activation.replace relu leaky_relu')
    old, new = change.words

    def exchange(model: nn.Module) -> None:
        found = _hidden(model, _MODULES[old])
        for parent, name in found:
            setattr(parent, name, _NEW[new]())
        if found:
            program.applied(change, f"{len(found)} modules {old} become {new}")

    program.on_model(exchange)
    calls = _Calls(program, change, _NEW[new]())
    for function in _FUNCTIONS.get(old, (old,)):
        for owner in (torch, functional):
            program.patches.replace(owner, function, calls.watched)
        program.patches.shadow(Tensor, function, calls.watched)


def _hidden(model: nn.Module, kinds: tuple[type[nn.Module], ...]) -> list[tuple[nn.Module, str]]:
    """Where activations stand that a layer with weights follows."""
    places: list[tuple[nn.Module, str]] = []
    waiting: list[tuple[nn.Module, str]] = []
    for path, module in model.named_modules():
        if isinstance(module, _LEARNING):
            places, waiting = [*places, *waiting], []
        elif isinstance(module, kinds) and path:
            parent, _, name = path.rpartition(".")
            waiting.append((model.get_submodule(parent), name))
    return places


class _Calls:
    """Calls of an activation as a function: which of them a layer follows is learnt from the first pass."""

    def __init__(self, program: Program, change: Change, new: nn.Module) -> None:
        self._program, self._change, self._new = program, change, new
        self._number = 0
        """Calls since the model was entered."""
        self._followed = -1
        """The last call that a layer with weights came after."""
        self._passes = 0
        self._busy = False
        """Inside of a call: the function is written by means of the method."""
        program.on_input(self._entered)
        handle = nn.modules.module.register_module_forward_hook(self._passed)
        program.patches.on_undo(handle.remove)

    def _entered(self, _: nn.Module, __: tuple[object, ...]) -> None:
        self._number = 0
        self._passes += 1

    def _passed(self, module: nn.Module, _: object, __: object) -> None:
        if isinstance(module, _LEARNING) and self._number:
            self._followed = max(self._followed, self._number)

    def watched(self, original: "Callable[..., Tensor]") -> "Callable[..., Tensor]":
        @wraps(original)
        def activation(value: Tensor, *args: object, **kwargs: object) -> Tensor:
            if self._busy or not self._passes:
                return original(value, *args, **kwargs)
            self._number += 1
            if self._passes < 2 or self._number > self._followed:
                self._busy = True
                try:
                    return original(value, *args, **kwargs)
                finally:
                    self._busy = False
            self._program.applied(
                self._change, f"calls of {self._change.words[0]} become {self._change.words[1]}"
            )
            return self._new(value)

        return activation


OPERATION = Operation(
    name="activation.replace",
    forms=("activation.replace relu leaky_relu", "activation.replace saturating leaky_relu"),
    says="exchange the activations between layers; the one at the output stays",
    begin=begin,
)
