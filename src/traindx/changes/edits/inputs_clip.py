"""Inputs without outliers."""

from traindx.changes.source.arrays import arrays_of, feature_axes, library_of, named, place_of, remade
from traindx.changes.source.edit import Edit, Edited, RefusedError
from traindx.changes.source.model import entered
from traindx.changes.source.source import Source
from traindx.changes.source.syntax import imported, number_text
from traindx.changes.types import ChangeSpec
from traindx.facts import OPTIMIZER_PLACE, SCRIPT
from traindx.run import Run

_MIDDLE, _AWAY, _SPREAD = "input_middle", "input_away", "input_spread"
_DEVIATION = "1.4826"
"""Standard deviations in a median distance from the median, of a normal distribution."""


def edit(source: Source, change: ChangeSpec, run: Run) -> Edited:
    """Cut the arrays where the training rows end by their medians; else what enters the model."""
    if feature_axes(source) != "0":
        raise RefusedError(
            f"{source.shown} learns from pictures or series, whose medians are not those of rows"
        )
    far = number_text(change.number, whole=change.number == round(change.number))
    try:
        arrays = arrays_of(source, run, 0)
        library = library_of(arrays)
    except RefusedError as why:
        limits = _limits(source, "torch", "inputs")
        parts, place = entered(source, run, limits, lambda one: _cut(one, far), why)
        return Edited(parts, f"what enters the model is cut at {far} deviations at {place}")
    limits = _limits(source, library, arrays.fitted)
    parts = remade(source, arrays, limits, lambda one: _cut(one, far), [_MIDDLE, _AWAY, _SPREAD])
    return Edited(parts, f"{named(arrays)} cut at {far} deviations behind {place_of(source, arrays)}")


def _limits(source: Source, library: str, rows: str) -> list[str]:
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


EDIT = Edit(name="inputs.clip", edit=edit, where=(OPTIMIZER_PLACE, SCRIPT))
