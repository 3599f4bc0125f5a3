"""Inputs without holes."""

import torch
from torch import Tensor, nn

from traindx.changes.live.operation import Operation
from traindx.changes.live.program import Program
from traindx.changes.types import ChangeSpec


def begin(program: Program, change: ChangeSpec) -> None:
    """Put zero in the place of what is no number, in all that a model is given."""

    def filled(_: nn.Module, args: tuple[object, ...]) -> tuple[object, ...] | None:
        holes = [
            isinstance(one, Tensor) and one.is_floating_point() and not bool(torch.isfinite(one).all())
            for one in args
        ]
        if not any(holes):
            return None
        program.applied(change, f"inputs that are no numbers become 0, from step {program.taken + 1} on")
        return tuple(
            torch.where(torch.isfinite(one), one, torch.zeros_like(one)) if hole else one
            for one, hole in zip(args, holes, strict=True)
        )

    program.on_input(filled)


OPERATION = Operation(
    name="inputs.replace_nonfinite",
    forms=("inputs.replace_nonfinite",),
    says="give the model 0 where an input is a NaN or an infinity",
    begin=begin,
)
