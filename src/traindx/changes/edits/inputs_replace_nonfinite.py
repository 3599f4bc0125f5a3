"""Inputs without holes."""

from traindx.changes.source.arrays import arrays_of, library_of, named, place_of, remade
from traindx.changes.source.edit import Edit, Edited, RefusedError
from traindx.changes.source.model import entered
from traindx.changes.source.source import Source
from traindx.changes.source.syntax import imported
from traindx.changes.types import ChangeSpec
from traindx.facts import OPTIMIZER_PLACE, SCRIPT
from traindx.run import Run


def edit(source: Source, _: ChangeSpec, run: Run) -> Edited:
    """Put 0 in the place of what is no number in the arrays; else in what enters the model."""
    try:
        arrays = arrays_of(source, run, 0)
        library = library_of(arrays)
    except RefusedError as why:
        parts, place = entered(source, run, [], lambda one: _filled(source, "torch", one), why)
        return Edited(parts, f"what enters the model is 0 where it is no number, at {place}")
    parts = remade(source, arrays, [], lambda one: _filled(source, library, one), [])
    says = f"{named(arrays)} 0 where they are no numbers, behind {place_of(source, arrays)}"
    return Edited(parts, says)


def _filled(source: Source, library: str, array: str) -> str:
    function = imported(source, f"{library}.nan_to_num", library)
    return f"{function}({array}, nan=0.0, posinf=0.0, neginf=0.0)"


EDIT = Edit(name="inputs.replace_nonfinite", edit=edit, where=(OPTIMIZER_PLACE, SCRIPT))
