"""A sigmoid in the place of a softmax over one unit, which is always 1."""

from collections.abc import Callable
from functools import wraps

import torch
from torch import Tensor
from torch.nn import functional

from traindx.changes.live.operation import Operation
from traindx.changes.live.program import Program
from traindx.changes.types import ChangeSpec


def begin(program: Program, change: ChangeSpec) -> None:
    """Let a softmax whose axis has one entry be a sigmoid."""

    def watched(original: "Callable[..., Tensor]") -> "Callable[..., Tensor]":
        @wraps(original)
        def softmax(value: Tensor, *args: object, **kwargs: object) -> Tensor:
            axis = args[0] if args else kwargs.get("dim")
            if not isinstance(axis, int) or not value.dim() or value.size(axis) != 1:
                return original(value, *args, **kwargs)
            program.applied(change, "a softmax over one unit becomes a sigmoid")
            return torch.sigmoid(value)

        return softmax

    for owner in (torch, functional):
        program.patches.replace(owner, "softmax", watched)
    program.patches.shadow(Tensor, "softmax", watched)


OPERATION = Operation(
    name="output.sigmoid",
    forms=("output.sigmoid",),
    says="put a sigmoid in the place of a softmax over one unit",
    begin=begin,
)
