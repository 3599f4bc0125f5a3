"""Inputs without outliers."""

from __future__ import annotations

from traindx.changes import torch
from traindx.changes.live.batches import change_features
from traindx.changes.live.keras_program import KerasProgram
from traindx.changes.live.program import Program
from traindx.changes.source.arrays import arrays_of, feature_axes, library_of, named, place_of, remade
from traindx.changes.source.model import entered
from traindx.changes.source.source import Source
from traindx.changes.source.syntax import imported, number_text
from traindx.changes.types import Change, ChangeSpec, Edited, RefusedError
from traindx.facts import OPTIMIZER_PLACE, SCRIPT
from traindx.run import Run

_BATCHES = 10
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
        if len(self._first) < _BATCHES and (torch.is_grad_enabled() or not self._first):
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


def _live(program: Program | KerasProgram, change: ChangeSpec) -> None:
    """Cut what lies more deviations from the middle than a number."""
    change_features(program, change, lambda: _Limits(program, change).cut)


def _edit(source: Source, change: ChangeSpec, run: Run) -> Edited:
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


CHANGE = Change(
    name="inputs.clip",
    label="clip inputs at {} std",
    forms=("inputs.clip 8",),
    says="clip inputs at N std from the median of their feature",
    torch=_live,
    keras=_live,
    edit=_edit,
    edited_file=(OPTIMIZER_PLACE, SCRIPT),
)
