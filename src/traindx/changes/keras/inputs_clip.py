"""Inputs without outliers."""

import keras
from torch import Tensor

from traindx.changes.inputs_clip import Limits
from traindx.changes.live.keras_layers import decimal, feature_axis
from traindx.changes.live.keras_operation import KerasOperation
from traindx.changes.live.keras_program import KerasProgram
from traindx.changes.types import ChangeSpec


def begin(program: KerasProgram, change: ChangeSpec) -> None:
    """Cut what lies more deviations from the middle than a number."""
    far = change.number
    of_input: dict[tuple[int, int], Limits] = {}

    def cut(model: keras.Layer, place: int, values: Tensor) -> Tensor | None:
        rows = decimal(model, place, values)
        if rows is None:
            program.refuse(change, "the model is not given rows of decimal numbers")
            return None
        inside = of_input.setdefault((id(model), place), Limits(far)).cut(rows, feature_axis(rows))
        if bool((inside != rows).any()):
            program.applied(change, f"inputs more than {far:g} deviations from their median are cut")
        return inside

    program.on_input(cut)


OPERATION = KerasOperation(name="inputs.clip", begin=begin)
