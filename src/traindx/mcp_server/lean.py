"""The base of all that is given back: every word costs an agent, so what is empty is left out."""

from pydantic import BaseModel, SerializerFunctionWrapHandler, model_serializer


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
