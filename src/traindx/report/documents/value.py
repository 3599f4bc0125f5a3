"""How a document begins, and numbers and scalars as JSON can hold them."""

import math

from traindx import __version__
from traindx.format import SCHEMA
from traindx.run import Floats, Scalar

Json = dict[str, "Json"] | list["Json"] | str | int | float | bool | None
Document = dict[str, Json]


def head(kind: str) -> Document:
    """What every document begins with; `docs/report.schema.json` lists the kinds."""
    return {"schema": SCHEMA, "kind": kind, "traindx": __version__}


def number(value: float) -> float | int | str:
    """A number; as text where it is not finite, as a whole number where it is whole."""
    value = float(value)
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return int(value) if value == int(value) and abs(value) < 2**53 else value


def optional(value: float | None) -> Json:
    """A number or nothing."""
    return None if value is None else number(value)


def numbers(array: Floats) -> Json:
    """Every number of an array."""
    return [number(value) for value in array.tolist()]


def scalar(value: Scalar) -> Json:
    """A setting: text, number or truth value."""
    return number(value) if isinstance(value, float) else value
