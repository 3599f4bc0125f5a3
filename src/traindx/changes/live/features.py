"""What enters models: rows of features, changed by a transform, in torch and in Keras."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from traindx.changes import keras, nn, torch
from traindx.changes.live.keras_layers import declared_input, layers_of, takers_of
from traindx.changes.live.keras_program import KerasProgram
from traindx.changes.live.program import Program
from traindx.changes.types import ChangeSpec

_LOOKING_UP = "Embedding CategoryEncoding IntegerLookup Hashing".split()
"""Layers for which a number is a name."""
Transform: TypeAlias = "Callable[[torch.Tensor, int], torch.Tensor]"
"""What becomes of rows, whose features or channels are along an axis."""
_NOT_ROWS = "the model inputs are not rows of floats"


def change_features(
    program: Program | KerasProgram, change: ChangeSpec, make: Callable[[], Transform]
) -> None:
    """Change what enters each model by a transform of its own."""
    if isinstance(program, Program):
        program.on_input(_Entrances(program, change, make).entered)
        return
    transforms: dict[tuple[int, int], Transform] = {}

    def entered(model: keras.Layer, index: int, values: torch.Tensor) -> torch.Tensor | None:
        rows = _decimal(model, index, values)
        if rows is None:
            program.refuse(change, _NOT_ROWS)
            return None
        return transforms.setdefault((id(model), index), make())(rows, _feature_axis(rows))

    program.on_input(entered)


class _Entrances:
    """The models of torch that data enters: what goes on from one model to the next is none."""

    def __init__(self, program: Program, change: ChangeSpec, make: Callable[[], Transform]) -> None:
        self._program, self._change, self._make = program, change, make
        self._transforms: dict[int, Transform] = {}
        self._inner: set[int] = set()

    def entered(self, model: nn.Module, args: tuple[object, ...]) -> tuple[object, ...] | None:
        """The arguments with the first tensor among them changed, where that is rows of decimal numbers."""
        index = next((n for n, arg in enumerate(args) if isinstance(arg, torch.Tensor)), None)
        values = args[index] if index is not None else None
        if index is None or not isinstance(values, torch.Tensor) or not _are_rows(values):
            self._program.refuse(self._change, _NOT_ROWS)
            return None
        if torch.is_grad_enabled() and values.requires_grad:
            self._inner.add(id(model))
        if id(model) in self._inner:
            return None
        series = values.dim() == 3 and not _convolves(model)
        transform = self._transforms.setdefault(id(model), self._make())
        changed = transform(values, values.dim() - 1 if series else 1)
        return (*args[:index], changed, *args[index + 1 :])


def _are_rows(values: torch.Tensor) -> bool:
    return bool(values.is_floating_point()) and values.dim() >= 2


def _convolves(model: nn.Module) -> bool:
    reading = nn.Linear | nn.Conv1d | nn.Conv2d | nn.RNNBase
    first = next((module for module in model.modules() if isinstance(module, reading)), None)
    return isinstance(first, nn.Conv1d | nn.Conv2d)


def _decimal(model: keras.Layer, index: int, values: torch.Tensor) -> torch.Tensor | None:
    """An input as decimal numbers; None where it is none, such as numbers of words."""
    if values.dim() < 2 or values.dtype is torch.bool:
        return None
    takers = takers_of(model, index)
    if any(
        isinstance(layer, layers_of(_LOOKING_UP)) for taker in takers for layer in taker._flatten_layers()
    ):
        return None
    if values.is_floating_point():
        return values
    declared = declared_input(model, index)
    # Keras makes whole numbers decimal where the model is declared so: pictures come as bytes.
    is_made_decimal = declared is not None and keras.backend.is_float_dtype(declared.dtype)
    return values.float() if is_made_decimal else None


def _feature_axis(values: torch.Tensor) -> int:
    """Where features or channels are."""
    is_picture = values.dim() >= 4
    return 1 if is_picture and keras.config.image_data_format() == "channels_first" else values.dim() - 1
