"""An output without its activation."""

from torch import nn

from traindx.change import Change
from traindx.surgery.operation import Operation
from traindx.surgery.program import Program

_BENT = (nn.ReLU, nn.Sigmoid, nn.Tanh, nn.Softmax, nn.Hardtanh, nn.Hardsigmoid, nn.Softplus, nn.LeakyReLU)


def begin(program: Program, change: Change) -> None:
    """Take the activation away that stands last in the model."""

    def straighten(model: nn.Module) -> None:
        path, last = [
            (path, one) for path, one in model.named_modules() if not any(True for _ in one.children())
        ][-1]
        if not isinstance(last, _BENT) or not path:
            return
        parent, _, name = path.rpartition(".")
        setattr(model.get_submodule(parent), name, nn.Identity())
        program.applied(change, f"{type(last).__name__} at the output is taken away")

    program.on_model(straighten)


OPERATION = Operation(
    name="output.remove_activation",
    forms=("output.remove_activation",),
    says="take away the activation that stands last in the model",
    begin=begin,
)
