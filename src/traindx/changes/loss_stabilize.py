"""Logarithms, roots, exponentials and quotients that stay finite."""

from collections.abc import Callable
from functools import wraps

import torch
from torch import Tensor

from traindx.changes.live.operation import Operation
from traindx.changes.live.program import Program
from traindx.changes.types import ChangeSpec

_LEAST = 1e-7
_LARGEST = 80.0
"""Beyond it the exponential of single precision is infinite."""

Kept = Callable[[Tensor], Tensor]
Function = Callable[..., Tensor]


def begin(program: Program, change: ChangeSpec) -> None:
    """Keep what enters logarithms and roots above zero, exponentials below their end, divisors off zero."""

    def guarded(keep: Kept, place: int, says: str) -> Callable[[Function], Function]:
        def make(original: Function) -> Function:
            @wraps(original)
            def function(*args: object, **kwargs: object) -> Tensor:
                value = args[place] if len(args) > place else None
                if isinstance(value, Tensor) and value.requires_grad and value.is_floating_point():
                    kept = keep(value)
                    if bool((kept.detach() != value.detach()).any()):
                        program.applied(change, says)
                        args = (*args[:place], kept, *args[place + 1 :])
                return original(*args, **kwargs)

            return function

        return make

    above = guarded(lambda one: one.clamp_min(_LEAST), 0, "what enters a logarithm or a root stays above 0")
    below = guarded(lambda one: one.clamp_max(_LARGEST), 0, f"no exponential of more than {_LARGEST:g}")
    apart = guarded(_apart_from_zero, 1, f"no divisor is nearer to zero than {_LEAST:g}")
    functions = dict.fromkeys(("log", "log2", "log10", "sqrt", "rsqrt"), above)
    functions |= {"exp": below, "div": apart, "true_divide": apart}
    for name, make in functions.items():
        program.patches.replace(torch, name, make)
        program.patches.shadow(Tensor, name, make)
    program.patches.shadow(Tensor, "__truediv__", apart)


def _apart_from_zero(value: Tensor) -> Tensor:
    least = torch.where(value.detach() < 0, -_LEAST, _LEAST).to(value.dtype)
    return torch.where(value.detach().abs() < _LEAST, least, value)


OPERATION = Operation(
    name="loss.stabilize",
    forms=("loss.stabilize",),
    says="keep what enters logarithms, roots, exponentials and divisions where they are finite",
    begin=begin,
)
