"""Arrays of a source made otherwise before anything learns from them."""

from collections.abc import Callable

import libcst as cst

from traindx.changes.source.arrays import Array, Arrays
from traindx.changes.source.edit import Around, New, RefusedError
from traindx.changes.source.loop import is_visible
from traindx.changes.source.source import Source
from traindx.changes.source.statements import after

Became = Callable[[str], str]
"""The new value of an array, from how it is spelled."""


def remade(
    source: Source, arrays: Arrays, first: list[str], became: Became, names: list[str]
) -> dict[cst.CSTNode, New]:
    """Every array with its new value, behind statements about the training one."""
    for name in names:
        if is_visible(source, name, source.scope(arrays.train.made)):
            raise RefusedError(f"{source.shown} uses the name {name} for something else")
    parts = after(source, arrays.train.made, *first, _again(arrays.train, became))
    for one in arrays.others:
        later = source.lines(one.made)[0] > source.lines(arrays.train.made)[0]
        new = after(source, one.made if later else arrays.train.made, _again(one, became))
        for node, put in new.items():
            known = parts.get(node)
            both = isinstance(known, Around) and isinstance(put, Around)
            parts[node] = Around(after=(*known.after, *put.after)) if both else put  # type: ignore[union-attr]  # both are
    return parts


def _again(one: Array, became: Became) -> str:
    return f"{one.name} = {became(one.name)}"


def place_of(source: Source, arrays: Arrays) -> str:
    """Where the training array is ready."""
    return source.place(arrays.train.made)


def named(arrays: Arrays) -> str:
    """The arrays in a sentence."""
    return " and ".join(one.name for one in (arrays.train, *arrays.others))


def library_of(arrays: Arrays) -> str:
    """Whose functions the arrays take: "numpy" or "torch"; refused where the source does not tell."""
    kinds = {one.is_numpy for one in (arrays.train, *arrays.others)}
    if len(kinds) > 1 or None in kinds:
        raise RefusedError(f"whether {named(arrays)} belong to numpy or torch cannot be told")
    return "numpy" if kinds.pop() else "torch"


def feature_axes(source: Source) -> str:
    """The axes that are not features, as an argument of mean and std; empty for pictures and signals."""
    if any(f"Conv{one}" in source.text for one in ("1d", "2d", "3d", "1D", "2D", "3D")):
        return ""
    series = any(f"{one}(" in source.text for one in ("LSTM", "GRU", "RNN", "TransformerEncoderLayer"))
    return "(0, 1)" if series else "0"
