"""A loss with the other sign."""

from collections.abc import Callable
from functools import wraps

from torch import Tensor

from traindx.changes.live.operation import Operation
from traindx.changes.live.program import Program
from traindx.changes.types import ChangeSpec


def begin(program: Program, change: ChangeSpec) -> None:
    """Go down where the program goes up: each gradient with the other sign."""

    def turned(original: "Callable[..., object]") -> "Callable[..., object]":
        @wraps(original)
        def backward(loss: Tensor, gradient: Tensor | None = None, *args: object, **kwargs: object) -> object:
            if gradient is None and loss.numel() == 1:
                program.applied(change, "the loss is minimised with the other sign")
                gradient = -loss.new_ones(loss.shape)
            return original(loss, gradient, *args, **kwargs)

        return backward

    program.patches.replace(Tensor, "backward", turned)


OPERATION = Operation(
    name="loss.negate",
    forms=("loss.negate",),
    says="minimise the loss with the other sign",
    begin=begin,
    alters_loss=True,
)
