"""An output without its activation."""

from torch import Tensor, nn

from traindx.change import Change
from traindx.surgery.calls import Activation, Calls, Place
from traindx.surgery.operation import Operation
from traindx.surgery.program import Program

_BENT = (nn.ReLU, nn.Sigmoid, nn.Tanh, nn.Softmax, nn.Hardtanh, nn.Hardsigmoid, nn.Softplus, nn.LeakyReLU)

_FUNCTIONS = ("relu", "sigmoid", "tanh", "softmax", "softplus")


def begin(program: Program, change: Change) -> None:
    """Take the activation away that stands last in the model, as a module or as a call."""
    is_a_module = False

    def straighten(model: nn.Module) -> None:
        nonlocal is_a_module
        path, last = [
            (path, one) for path, one in model.named_modules() if not any(True for _ in one.children())
        ][-1]
        if not isinstance(last, _BENT) or not path:
            return
        parent, _, name = path.rpartition(".")
        setattr(model.get_submodule(parent), name, nn.Identity())
        is_a_module = True
        program.applied(change, f"{type(last).__name__} at the output is taken away")

    def replaced(place: Place, original: Activation) -> Activation | None:
        if place is Place.HIDDEN or is_a_module:
            return None
        program.applied(change, f"{original.__name__} at the output is taken away")
        return _as_it_is

    program.on_model(straighten)
    calls = Calls(program, replaced)
    for function in _FUNCTIONS:
        calls.watch(function)


def _as_it_is(value: Tensor) -> Tensor:
    return value


OPERATION = Operation(
    name="output.remove_activation",
    forms=("output.remove_activation",),
    says="take away the activation that stands last in the model",
    begin=begin,
)
