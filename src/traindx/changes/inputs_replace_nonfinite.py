"""Inputs without holes."""

from __future__ import annotations

from traindx.changes import torch
from traindx.changes.live.keras_program import KerasProgram
from traindx.changes.live.program import Program
from traindx.changes.source.arrays import arrays_of, library_of, named, place_of, remade
from traindx.changes.source.model import entered
from traindx.changes.source.source import Source
from traindx.changes.source.syntax import imported
from traindx.changes.types import Change, ChangeSpec, Edited, RefusedError
from traindx.facts import OPTIMIZER_PLACE, SCRIPT
from traindx.run import Run


def _torch(program: Program, change: ChangeSpec) -> None:
    """Put zero instead of what is no number, in all that a model is given."""
    program.on_input(lambda _, args: tuple(_without_holes(program, change, one) for one in args))


def _keras(program: KerasProgram, change: ChangeSpec) -> None:
    """Put zero instead of what is no number, in all that a model is given."""
    program.on_input(lambda _, __, values: _without_holes(program, change, values))


def _without_holes(program: Program | KerasProgram, change: ChangeSpec, given: object) -> object:
    if not isinstance(given, torch.Tensor) or not given.is_floating_point():
        return given
    finite = torch.isfinite(given)
    if bool(finite.all()):
        return given
    program.applied(change, f"NaN and infinite inputs replaced by 0, from step {program.taken + 1}")
    return torch.where(finite, given, torch.zeros_like(given))


def _edit(source: Source, _: ChangeSpec, run: Run) -> Edited:
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


CHANGE = Change(
    name="inputs.replace_nonfinite",
    label="replace NaN inputs with 0",
    says="replace NaN and infinite inputs by 0",
    torch=_torch,
    keras=_keras,
    edit=_edit,
    edited_file=(OPTIMIZER_PLACE, SCRIPT),
)
