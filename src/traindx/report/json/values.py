"""Values as JSON, and a run as it was read."""

import json
import math
from collections.abc import Mapping
from dataclasses import fields
from enum import Enum

from traindx import __version__
from traindx.curves.facts import pace, times
from traindx.format import SCHEMA
from traindx.report.results.layers import FIGURES, Row, anatomy
from traindx.run import Run, Scalar, Segment, Series

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


def scalar(value: Scalar) -> Json:
    """A setting: text, number or truth value."""
    return number(value) if isinstance(value, float) else value


def plain(value: object) -> Json:
    """A value as JSON holds it: numbers, texts, values of enumerations, and lists and fields of these."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return number(value)
    if isinstance(value, Enum):
        return plain(value.value)
    if isinstance(value, Mapping):
        return {str(name): plain(one) for name, one in value.items()}
    if isinstance(value, tuple | list):
        return [plain(one) for one in value]
    return {field.name: plain(getattr(value, field.name)) for field in fields(value)}  # type: ignore[arg-type]  # a dataclass


def told(value: object, names: str) -> Document:
    """Some attributes of a value, each under its own name."""
    return {name: plain(getattr(value, name)) for name in names.split()}


def finite(value: float | None) -> Json:
    """A number; nothing where it is not finite."""
    return None if value is None or not math.isfinite(value) else number(value)


def ascii_text(document: Document) -> str:
    """A document as indented JSON in letters of ASCII: a terminal would obey some of what names can hold."""
    return json.dumps(document, indent=2, allow_nan=False) + "\n"


def run_document(run: Run, values: bool) -> Document:
    """A run as it was read; with `values`, every point of every series."""
    return {
        "name": run.name,
        "sources": list(run.sources),
        "formats": list(run.formats),
        "segments": [_segment(segment) for segment in run.segments],
        "series": [_series(series, values) for series in run.series],
        "facts": {fact.slug: scalar(value) for fact, value in run.facts.items()},
        "settings": {name: scalar(value) for name, value in run.settings.items()},
        "events": [told(event, "kind says step layer operation batch") for event in run.events],
        "unread": [told(one, "name count why") for one in run.unread],
        "notes": list(run.notes),
        **interior_document(run),
    }


def _segment(segment: Segment) -> Json:
    points = sum(len(series) for series in segment.series)
    return {**told(segment, "begins axis first_step last_step"), "points": points}


def _series(series: Series, values: bool) -> Json:
    finite = series.finite
    summary: dict[str, Json] = {
        "quantity": series.quantity.slug,
        **told(series, "part layer name axis"),
        "better": series.quantity.better.value,
        "points": len(series),
        "first_step": number(series.steps[0]),
        "last_step": number(series.steps[-1]),
        "first": number(series.values[0]),
        "last": number(series.values[-1]),
        "min": number(finite.values.min()) if len(finite) else None,
        "min_step": number(finite.steps[finite.values.argmin()]) if len(finite) else None,
        "max": number(finite.values.max()) if len(finite) else None,
        "max_step": number(finite.steps[finite.values.argmax()]) if len(finite) else None,
        "nonfinite": len(series) - len(finite),
        "first_nonfinite_step": optional(series.first_bad_step),
    }
    if not values:
        return summary
    return {**summary, "steps": plain(series.steps.tolist()), "values": plain(series.values.tolist())}


def interior_document(run: Run) -> Document:
    """What recording cost, where the time of a step goes, and every layer; empty for a log."""
    found = pace(run)
    return {
        "overhead": {"share": optional(found.cost), **told(found, "steps seconds")} if found else None,
        "time": [{"part": one.called, **told(one, "seconds share")} for one in times(run)],
        "layers": [_layer(row) for row in anatomy(run).rows],
    }


def _layer(row: Row) -> Json:
    layer = row.layer
    return {
        "name": row.name,
        "part": layer.part if layer else "",
        "kind": layer.kind if layer else None,
        "shape": list(layer.shape) if layer else None,
        "trainable": layer.trainable if layer else None,
        "optimized": layer.optimized if layer else None,
        "gradient": layer.gradient if layer else None,
        "last": {
            quantity.slug: number(row.figures[quantity]) for quantity in FIGURES if quantity in row.figures
        },
    }
