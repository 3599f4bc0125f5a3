"""The base of all that is given back: every word costs an agent, so what is empty is left out."""

import math

from pydantic import BaseModel, SerializerFunctionWrapHandler, model_serializer

from traindx.format import printable
from traindx.report.documents.value import number
from traindx.run import Scalar

Told = str | int | float | bool
"""A value of a run; NaN and infinities are texts, as JSON has none."""


class Lean(BaseModel):
    """A result without its empty fields."""

    @model_serializer(mode="wrap")
    def _without_empty(self, dump: SerializerFunctionWrapHandler) -> dict[str, object]:
        fields = type(self).model_fields
        return {
            name: value
            for name, value in dump(self).items()
            if fields[name].is_required() or value not in ("", None, [], {})
        }


def shortened(value: float) -> float:
    """Six digits: more would cost an agent and tell it nothing."""
    return float(f"{value:.6g}")


def told(value: Scalar) -> Told:
    """A value as JSON can hold it, without control characters and no longer than it has to be."""
    if isinstance(value, float):
        return shortened(value) if math.isfinite(value) else str(number(value))
    return printable(value, 200) if isinstance(value, str) else value
