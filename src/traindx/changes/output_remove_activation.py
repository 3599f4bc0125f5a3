"""An output without its activation."""

from torch import Tensor, nn

from traindx.changes.live.functional import Activation, Calls, Place
from traindx.changes.live.operation import Operation
from traindx.changes.live.program import Program
from traindx.changes.types import ChangeSpec

_BENT = (nn.ReLU, nn.Sigmoid, nn.Tanh, nn.Softmax, nn.Hardtanh, nn.Hardsigmoid, nn.Softplus, nn.LeakyReLU)

_FUNCTIONS = "relu sigmoid tanh softmax softplus leaky_relu hardtanh hardsigmoid".split()


def begin(program: Program, change: ChangeSpec) -> None:
    """Take the activation away that stands last in the model, as a module or as a call."""
    straightened: set[int] = set()

    def straighten(model: nn.Module) -> None:
        parent: nn.Module = model
        # Only a sequence tells before the first pass what is called last.
        while isinstance(parent, nn.Sequential) and len(parent) and isinstance(parent[-1], nn.Sequential):
            parent = parent[-1]
        if not isinstance(parent, nn.Sequential) or not isinstance(parent[-1], _BENT):
            return
        program.applied(change, f"{type(parent[-1]).__name__} at the output is taken away")
        parent[-1] = nn.Identity()
        straightened.add(id(model))

    def replaced(place: Place, original: Activation) -> Activation | None:
        if place is Place.HIDDEN or id(calls.model) in straightened:
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
