"""Inputs with mean 0 and deviation 1."""

from traindx.changes.source.arrays import arrays_of, feature_axes, named, place_of, remade
from traindx.changes.source.edit import Edit, Edited, RefusedError
from traindx.changes.source.model import entered
from traindx.changes.source.source import Source
from traindx.changes.types import ChangeSpec
from traindx.facts import OPTIMIZER_PLACE, SCRIPT
from traindx.run import Run

_MEAN, _STD = "input_mean", "input_std"
_LEAST = "1e-8"
"""What keeps a feature that never changes from a division by zero."""


def edit(source: Source, _: ChangeSpec, run: Run) -> Edited:
    """Standardise the arrays by their training rows; else what enters the model."""
    if "Embedding" in source.text:
        raise RefusedError(f"{source.shown} looks its inputs up in an Embedding: they are names, not numbers")
    try:
        arrays = arrays_of(source, run, 0)
    except RefusedError as why:
        parts, place = entered(source, run, [_statistics(source, "inputs")], _standard, why)
        return Edited(parts, f"what enters the model is standardised at {place}")
    parts = remade(source, arrays, [_statistics(source, arrays.fitted)], _standard, [_MEAN, _STD])
    return Edited(parts, f"{named(arrays)} standardised behind {place_of(source, arrays)}")


def _statistics(source: Source, rows: str) -> str:
    axes = feature_axes(source)
    return f"{_MEAN}, {_STD} = {rows}.mean({axes}), {rows}.std({axes})"


def _standard(array: str) -> str:
    return f"({array} - {_MEAN}) / ({_STD} + {_LEAST})"


EDIT = Edit(name="inputs.standardize", edit=edit, where=(OPTIMIZER_PLACE, SCRIPT))
