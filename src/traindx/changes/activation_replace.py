"""Other activations between the layers."""

from collections.abc import Callable

from torch import nn

from traindx.changes.live.functional import Activation, Calls, Place
from traindx.changes.live.operation import Operation
from traindx.changes.live.program import Program
from traindx.changes.types import ChangeSpec
from traindx.errors import TraindxError

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


def begin(program: Program, change: ChangeSpec) -> None:
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
    instead: Activation = _NEW[new]()

    def replaced(place: Place, _: Activation) -> Activation | None:
        if place is Place.OUTPUT:
            return None
        program.applied(change, f"calls of {old} become {new}")
        return instead

    calls = Calls(program, replaced)
    for function in _FUNCTIONS.get(old, (old,)):
        calls.watch(function)


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


OPERATION = Operation(
    name="activation.replace",
    forms=("activation.replace relu leaky_relu", "activation.replace saturating leaky_relu"),
    says="exchange the activations between layers; the one at the output stays",
    begin=begin,
)
