"""Inputs with mean 0 and deviation 1, without outliers, without holes."""

from __future__ import annotations

import re

from traindx.changes import torch
from traindx.changes.live.features import change_features
from traindx.changes.live.keras_program import KerasProgram
from traindx.changes.live.program import Program
from traindx.changes.source.arrays import arrays_of, feature_axes, library_of, named, place_of, remade
from traindx.changes.source.model import entered
from traindx.changes.source.source import Source
from traindx.changes.source.syntax import imported, names_in, number_text
from traindx.changes.types import Change, ChangeSpec, Edited, RefusedError
from traindx.facts import OPTIMIZER_PLACE, SCRIPT
from traindx.run import Run

_STANDARDIZE_BATCHES = 30
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
        if self._batches < _STANDARDIZE_BATCHES and (torch.is_grad_enabled() or not self._batches):
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
            self._change, f"inputs standardized with mean and std of the first {_STANDARDIZE_BATCHES} batches"
        )


def _live_standardize(program: Program | KerasProgram, change: ChangeSpec) -> None:
    """Standardize what enters the model, feature by feature or channel by channel."""
    change_features(program, change, lambda: _Statistics(program, change).standardized)


def _edit_standardize(source: Source, _: ChangeSpec, run: Run) -> Edited:
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


STANDARDIZE = Change(
    name="inputs.standardize",
    label="standardize inputs",
    says="standardize each feature with the mean and std of the first batches",
    torch=_live_standardize,
    keras=_live_standardize,
    edit=_edit_standardize,
    edited_file=(OPTIMIZER_PLACE, SCRIPT),
)


_CLIP_BATCHES = 10
_DEVIATION = 1.4826
"""Standard deviations in a median distance from the median, of a normal distribution."""
_MIDDLE, _AWAY, _SPREAD = "input_middle", "input_away", "input_spread"


class _Limits:
    """Where every feature is cut: so many deviations from its middle, by medians of the first batches."""

    def __init__(self, program: Program | KerasProgram, change: ChangeSpec) -> None:
        self._program, self._change, self._far = program, change, change.number
        self._first: list[torch.Tensor] = []
        self._low, self._high = torch.zeros(1), torch.zeros(1)

    def cut(self, values: torch.Tensor, axis: int) -> torch.Tensor:
        """Values that are nowhere beyond the limits; the first ones set them."""
        # By what it learns from; validation may come first.
        if len(self._first) < _CLIP_BATCHES and (torch.is_grad_enabled() or not self._first):
            self._first.append(values.detach().movedim(axis, -1).flatten(0, -2))
            self._set(torch.cat(self._first))
        shape = [1] * values.dim()
        shape[axis] = -1
        inside = torch.minimum(torch.maximum(values, self._low.view(shape)), self._high.view(shape))
        if bool((inside != values).any()):
            says = f"inputs clipped at {self._far:g} std from their median"
            self._program.applied(self._change, says)
        return inside

    def _set(self, rows: torch.Tensor) -> None:
        middle = rows.median(0).values
        away = (rows - middle).abs()
        spread = _DEVIATION * away.median(0).values
        # A feature that is mostly one value has no median distance: its mean one tells.
        spread = torch.where(spread > 0, spread, away.mean(0))
        self._low, self._high = middle - self._far * spread, middle + self._far * spread


def _live_clip(program: Program | KerasProgram, change: ChangeSpec) -> None:
    """Cut what lies more deviations from the middle than a number."""
    change_features(program, change, lambda: _Limits(program, change).cut)


def _edit_clip(source: Source, change: ChangeSpec, run: Run) -> Edited:
    """Cut the arrays where the training rows end by their medians; else what enters the model."""
    if feature_axes(source) != "0":
        raise RefusedError(f"{source.shown} trains on images or sequences, not on table rows")
    far = number_text(change.number, whole=change.number == round(change.number))
    try:
        arrays = arrays_of(source, run, 0)
        library = library_of(arrays)
    except RefusedError as why:
        limits = _written_limits(source, "torch", "inputs")
        parts, place = entered(source, run, limits, lambda one: _cut(one, far), why)
        return Edited(parts, f"model inputs clipped at {far} std at {place}")
    limits = _written_limits(source, library, arrays.fitted)
    parts = remade(source, arrays, limits, lambda one: _cut(one, far), [_MIDDLE, _AWAY, _SPREAD])
    return Edited(parts, f"{named(arrays)} clipped at {far} std after {place_of(source, arrays)}")


def _written_limits(source: Source, library: str, rows: str) -> list[str]:
    where = imported(source, f"{library}.where", library)
    if library == "numpy":
        median = imported(source, "numpy.median", "np")
        middle, typical = f"{median}({rows}, axis=0)", f"{median}({_AWAY}, axis=0)"
        away = f"abs({rows} - {_MIDDLE})"
    else:
        middle, typical = f"{rows}.median(0).values", f"{_AWAY}.median(0).values"
        away = f"({rows} - {_MIDDLE}).abs()"
    # A feature that is mostly one value has no median distance: its mean one tells.
    spread = f"{where}({typical} > 0, {_DEVIATION} * {typical}, {_AWAY}.mean(0))"
    return [f"{_MIDDLE} = {middle}", f"{_AWAY} = {away}", f"{_SPREAD} = {spread}"]


def _cut(array: str, far: str) -> str:
    return f"{array}.clip({_MIDDLE} - {far} * {_SPREAD}, {_MIDDLE} + {far} * {_SPREAD})"


CLIP = Change(
    name="inputs.clip",
    label="clip inputs at {} std",
    forms=("inputs.clip 8",),
    says="clip inputs at N std from the median of their feature",
    torch=_live_clip,
    keras=_live_clip,
    edit=_edit_clip,
    edited_file=(OPTIMIZER_PLACE, SCRIPT),
)


def _torch_replace_nonfinite(program: Program, change: ChangeSpec) -> None:
    """Put zero instead of what is no number, in all that a model is given."""
    program.on_input(lambda _, args: tuple(_without_holes(program, change, arg) for arg in args))


def _keras_replace_nonfinite(program: KerasProgram, change: ChangeSpec) -> None:
    """Put zero instead of what is no number, in all that a model is given."""
    program.on_input(lambda _, __, values: _without_holes(program, change, values))


def _without_holes(program: Program | KerasProgram, change: ChangeSpec, value: object) -> object:
    if not isinstance(value, torch.Tensor) or not value.is_floating_point():
        return value
    finite = torch.isfinite(value)
    if bool(finite.all()):
        return value
    program.applied(change, f"NaN and infinite inputs replaced by 0, from step {program.taken + 1}")
    return torch.where(finite, value, torch.zeros_like(value))


def _edit_replace_nonfinite(source: Source, _: ChangeSpec, run: Run) -> Edited:
    """Put 0 instead of what is no number in the arrays; else in what enters the model."""
    try:
        arrays = arrays_of(source, run, 0)
        library = library_of(arrays)
    except RefusedError as why:
        parts, place = entered(source, run, [], lambda one: _filled(source, "torch", one), why)
        return Edited(parts, f"NaN and infinite model inputs replaced by 0 at {place}")
    parts = remade(source, arrays, [], lambda one: _filled(source, library, one), [])
    says = f"NaN and infinity in {named(arrays)} replaced by 0 after {place_of(source, arrays)}"
    return Edited(parts, says)


def _filled(source: Source, library: str, array: str) -> str:
    function = imported(source, f"{library}.nan_to_num", library)
    return f"{function}({array}, nan=0.0, posinf=0.0, neginf=0.0)"


REPLACE_NONFINITE = Change(
    name="inputs.replace_nonfinite",
    label="replace NaN inputs with 0",
    says="replace NaN and infinite inputs by 0",
    torch=_torch_replace_nonfinite,
    keras=_keras_replace_nonfinite,
    edit=_edit_replace_nonfinite,
    edited_file=(OPTIMIZER_PLACE, SCRIPT),
)
