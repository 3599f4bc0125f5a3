"""Inputs without holes."""

import torch
from torch import Tensor

from traindx.changes.live.keras_operation import KerasOperation
from traindx.changes.live.keras_program import KerasProgram
from traindx.changes.types import ChangeSpec


def begin(program: KerasProgram, change: ChangeSpec) -> None:
    """Put zero in the place of what is no number, in all that a model is given."""

    def filled(_: object, __: int, values: Tensor) -> Tensor | None:
        if not values.is_floating_point() or bool(torch.isfinite(values).all()):
            return None
        program.applied(change, f"inputs that are no numbers become 0, from step {program.taken + 1} on")
        return torch.where(torch.isfinite(values), values, torch.zeros_like(values))

    program.on_input(filled)


OPERATION = KerasOperation(name="inputs.replace_nonfinite", begin=begin)
