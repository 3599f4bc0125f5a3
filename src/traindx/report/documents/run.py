"""Values as JSON, and a run as it was read."""

import math

from traindx import __version__
from traindx.curves.timing import pace, times
from traindx.format import SCHEMA
from traindx.report.results.layers import FIGURES, Row, anatomy
from traindx.run import Event, Floats, Run, Scalar, Segment, Series

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
        "events": [_event(event) for event in run.events],
        "unread": [{"name": u.name, "count": u.count, "why": u.why} for u in run.unread],
        "notes": list(run.notes),
        **interior_document(run),
    }


def _event(event: Event) -> Json:
    return {
        "kind": event.kind.value,
        "says": event.says,
        "step": optional(event.step),
        "layer": event.layer,
        "operation": event.operation,
        "batch": event.batch,
    }


def _segment(segment: Segment) -> Json:
    return {
        "begins": segment.begins.value,
        "axis": segment.axis.value,
        "first_step": number(segment.first_step),
        "last_step": number(segment.last_step),
        "points": sum(len(series) for series in segment.series),
    }


def _series(series: Series, values: bool) -> Json:
    finite = series.finite

    summary: dict[str, Json] = {
        "quantity": series.quantity.slug,
        "part": series.part,
        "layer": series.layer,
        "name": series.name,
        "axis": series.axis.value,
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
    return (
        {**summary, "steps": numbers(series.steps), "values": numbers(series.values)} if values else summary
    )


def interior_document(run: Run) -> Document:
    """What recording cost, where the time of a step goes, and every layer; empty for a log."""
    return {"overhead": _overhead(run), "time": _time(run), "layers": _layers(run)}


def _overhead(run: Run) -> Json:
    found = pace(run)
    if found is None:
        return None
    return {"share": optional(found.cost), "steps": number(found.steps), "seconds": number(found.seconds)}


def _time(run: Run) -> Json:
    return [
        {"part": one.called, "seconds": number(one.seconds), "share": number(one.share)} for one in times(run)
    ]


def _layers(run: Run) -> Json:
    return [_layer(row) for row in anatomy(run).rows]


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
