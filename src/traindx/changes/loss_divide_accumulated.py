"""Accumulated gradients as a mean."""

from collections.abc import Callable
from functools import wraps

from torch import Tensor
from torch.optim import Optimizer

from traindx.changes.live.operation import Operation
from traindx.changes.live.program import Program, parameters_of
from traindx.changes.types import ChangeSpec


def begin(program: Program, change: ChangeSpec) -> None:
    """Divide gradients by the number of backward passes that they were summed over."""
    passes = 0

    def counted(original: "Callable[..., object]") -> "Callable[..., object]":
        @wraps(original)
        def backward(loss: Tensor, *args: object, **kwargs: object) -> object:
            nonlocal passes
            passes += 1
            return original(loss, *args, **kwargs)

        return backward

    def divide(optimizer: Optimizer) -> None:
        nonlocal passes
        if passes > 1:
            program.applied(change, f"gradients of {passes} backward passes are averaged")
            for one in parameters_of(optimizer):
                if one.grad is not None:
                    one.grad.div_(passes)
        passes = 0

    program.patches.replace(Tensor, "backward", counted)
    program.before_step(divide)


OPERATION = Operation(
    name="loss.divide_accumulated",
    forms=("loss.divide_accumulated",),
    says="divide gradients by the number of backward passes between two steps",
    begin=begin,
)
