"""Several batches for each step."""

from collections.abc import Callable
from functools import wraps
from types import MethodType

from torch import Tensor, nn
from torch.optim import Optimizer

from traindx.changes.live.operation import Operation
from traindx.changes.live.program import Program
from traindx.changes.types import ChangeSpec


def begin(program: Program, change: ChangeSpec) -> None:
    """Take only each so many-th step, with the mean of the gradients in between."""
    batches = max(1, round(change.number))
    gathers = False

    def gathered(original: "Callable[..., object]") -> "Callable[..., object]":
        @wraps(original)
        def init(optimizer: Optimizer, *args: object, **kwargs: object) -> None:
            nonlocal gathers
            original(optimizer, *args, **kwargs)
            gathers = True
            program.applied(change, f"each step takes the mean gradient of {batches} batches")
            _gather(optimizer, batches)

        return init

    def divided(original: "Callable[..., object]") -> "Callable[..., object]":
        @wraps(original)
        def backward(loss: Tensor, gradient: Tensor | None = None, *args: object, **kwargs: object) -> object:
            # Keras' optimizers take the mean by themselves.
            if gathers and gradient is None and loss.numel() == 1:
                gradient = loss.new_full(loss.shape, 1 / batches)
            return original(loss, gradient, *args, **kwargs)

        return backward

    def waiting(original: "Callable[..., object]") -> "Callable[..., object]":
        @wraps(original)
        def zero_grad(model: nn.Module, *args: object, **kwargs: object) -> object:
            # Many programs clear by the model: what is gathered waits for the step all the same.
            return None if gathers else original(model, *args, **kwargs)

        return zero_grad

    program.patches.replace(Optimizer, "__init__", gathered)
    program.patches.replace(nn.Module, "zero_grad", waiting)
    program.patches.replace(Tensor, "backward", divided)


def _gather(optimizer: Optimizer, batches: int) -> None:
    """Let all but each so many-th call of `step` and `zero_grad` do nothing."""
    calls = 0
    step, clear = type(optimizer).step, type(optimizer).zero_grad

    def gathering(self: Optimizer, closure: object = None) -> object:
        nonlocal calls
        calls += 1
        if calls % batches:
            return closure() if callable(closure) else None
        done = step(self, closure)
        clear(self)
        return done

    def kept(self: Optimizer, set_to_none: bool = True) -> None:
        """Wait for the step."""

    optimizer.step = MethodType(gathering, optimizer)
    optimizer.zero_grad = MethodType(kept, optimizer)


OPERATION = Operation(
    name="gradients.accumulate",
    forms=("gradients.accumulate 8",),
    says="take a step only after so many batches, with their mean gradient",
    begin=begin,
)
