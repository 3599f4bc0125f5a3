"""What was read of a run."""

from traindx.report.documents.interior import interior_document
from traindx.report.documents.value import Document, Json, number, numbers, optional, scalar
from traindx.run import Event, Run, Segment, Series


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
