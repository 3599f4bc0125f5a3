"""Inputs with mean 0 and deviation 1."""

import keras
import torch
from torch import Tensor

from traindx.changes.inputs_standardize import BATCHES, Statistics
from traindx.changes.live.keras_layers import decimal, feature_axis
from traindx.changes.live.keras_operation import KerasOperation
from traindx.changes.live.keras_program import KerasProgram
from traindx.changes.types import ChangeSpec


def begin(program: KerasProgram, change: ChangeSpec) -> None:
    """Standardise what enters the model, feature by feature or channel by channel."""
    of_input: dict[tuple[int, int], Statistics] = {}

    def standardize(model: keras.Layer, place: int, values: Tensor) -> Tensor | None:
        rows = decimal(model, place, values)
        if rows is None:
            program.refuse(change, "the model is not given rows of decimal numbers")
            return None
        axis = feature_axis(rows)
        statistics = of_input.setdefault((id(model), place), Statistics())
        if statistics.batches < BATCHES and (torch.is_grad_enabled() or not statistics.batches):
            statistics.add(rows, axis)
            program.applied(change, f"inputs are standardised by the first {BATCHES} batches")
        return statistics.standardized(rows, axis)

    program.on_input(standardize)


OPERATION = KerasOperation(name="inputs.standardize", begin=begin)
