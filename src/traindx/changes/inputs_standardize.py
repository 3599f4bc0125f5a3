"""Inputs with mean 0 and deviation 1."""

from __future__ import annotations

import re

from traindx.changes import torch
from traindx.changes.live.batches import change_features
from traindx.changes.live.keras_program import KerasProgram
from traindx.changes.live.program import Program
from traindx.changes.source.arrays import arrays_of, feature_axes, named, place_of, remade
from traindx.changes.source.model import entered
from traindx.changes.source.source import Source
from traindx.changes.source.syntax import names_in
from traindx.changes.types import Change, ChangeSpec, Edited, RefusedError
from traindx.facts import OPTIMIZER_PLACE, SCRIPT
from traindx.run import Run

_BATCHES = 30
"""Training batches whose statistics are taken; then they stand."""
_LEAST = 1e-6
_MEAN, _STD = "input_mean", "input_std"
_WHOLE = re.compile(r"\b(byte|int|long|u?int(8|16|32|64))\b")
"""What makes a tensor of whole numbers, which has no mean in torch."""
_WRITTEN_LEAST = "1e-8"
"""What keeps a feature that never changes from a division by zero."""


class _Statistics:
    """Mean and deviation of every feature over the first batches."""

    def __init__(self, program: Program | KerasProgram, change: ChangeSpec) -> None:
        self._program, self._change = program, change
        self._batches = 0
        self._count, self._sum, self._squares = torch.zeros(1), torch.zeros(1), torch.zeros(1)

    def standardized(self, values: torch.Tensor, axis: int) -> torch.Tensor:
        """Values less the mean, over the deviation; the first ones set both."""
        if self._batches < _BATCHES and (torch.is_grad_enabled() or not self._batches):
            self._add(values, axis)
        count = self._count.clamp_min(1)
        mean = self._sum / count
        deviation = (self._squares / count - mean.square()).clamp_min(0).sqrt()
        deviation = torch.where(deviation > _LEAST * (1 + mean.abs()), deviation, torch.ones_like(deviation))
        shape = [1] * values.dim()
        shape[axis] = -1
        moved = (values.double() - mean.view(shape)) / deviation.view(shape)
        return moved.to(values.dtype)

    def _add(self, values: torch.Tensor, axis: int) -> None:
        flat = values.detach().double().movedim(axis, -1).flatten(0, -2)
        known = torch.isfinite(flat)
        # One hole in the data must not make a mean of it.
        flat = torch.where(known, flat, torch.zeros_like(flat))
        self._count = self._count.to(flat.device) + known.sum(0)
        self._sum = self._sum.to(flat.device) + flat.sum(0)
        self._squares = self._squares.to(flat.device) + flat.square().sum(0)
        self._batches += 1
        self._program.applied(
            self._change, f"inputs standardized with mean and std of the first {_BATCHES} batches"
        )


def _live(program: Program | KerasProgram, change: ChangeSpec) -> None:
    """Standardize what enters the model, feature by feature or channel by channel."""
    change_features(program, change, lambda: _Statistics(program, change).standardized)


def _edit(source: Source, _: ChangeSpec, run: Run) -> Edited:
    """Standardize the arrays by their training rows; else what enters the model."""
    if any("Embedding" in name for name in names_in(source)):
        raise RefusedError(f"{source.shown} passes its inputs to an Embedding: they are indices")
    try:
        arrays = arrays_of(source, run, 0)
    except RefusedError as why:
        parts, place = entered(source, run, [_statistics(source, "inputs")], _standard, why)
        return Edited(parts, f"model inputs standardized at {place}")
    whole = _WHOLE.search(source.code(arrays.train.made)) and not arrays.train.is_numpy
    rows = f"{arrays.fitted}.float()" if whole else arrays.fitted
    parts = remade(source, arrays, [_statistics(source, rows)], _standard, [_MEAN, _STD])
    return Edited(parts, f"{named(arrays)} standardized after {place_of(source, arrays)}")


def _statistics(source: Source, rows: str) -> str:
    axes = feature_axes(source)
    return f"{_MEAN}, {_STD} = {rows}.mean({axes}), {rows}.std({axes})"


def _standard(array: str) -> str:
    return f"({array} - {_MEAN}) / ({_STD} + {_WRITTEN_LEAST})"


CHANGE = Change(
    name="inputs.standardize",
    label="standardize inputs",
    says="standardize each feature with the mean and std of the first batches",
    torch=_live,
    keras=_live,
    edit=_edit,
    edited_file=(OPTIMIZER_PLACE, SCRIPT),
)
