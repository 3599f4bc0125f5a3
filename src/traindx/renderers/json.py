"""The report as JSON: the schema `traindx.report/1`.

Numbers that are not finite are the strings "NaN", "Infinity" and "-Infinity", as JSON has none of its own.
"""

import json
import math

from traindx import __version__
from traindx.report import SCHEMA, Report
from traindx.run import Run, Segment
from traindx.series import Floats, Series

Json = dict[str, "Json"] | list["Json"] | str | int | float | bool | None


def render(report: Report, *, values: bool = False) -> str:
    """The report as indented JSON; with `values`, every point of every series."""
    document: Json = {
        "schema": SCHEMA,
        "traindx": __version__,
        "runs": [_run(run, values) for run in report.runs],
        "problems": [{"where": p.where, "what": p.what, "todo": p.todo} for p in report.problems],
        "other_files": report.other_files,
    }
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)


def _run(run: Run, values: bool) -> Json:
    return {
        "name": run.name,
        "sources": list(run.sources),
        "formats": list(run.formats),
        "segments": [_segment(segment) for segment in run.segments],
        "series": [_series(series, values) for series in run.series],
        "facts": {fact.slug: _scalar(value) for fact, value in run.facts.items()},
        "settings": {name: _scalar(value) for name, value in run.settings.items()},
        "events": [
            {"kind": e.kind.value, "says": e.says, "step": None if e.step is None else _number(e.step)}
            for e in run.events
        ],
        "unread": [{"name": u.name, "count": u.count, "why": u.why} for u in run.unread],
        "notes": list(run.notes),
    }


def _segment(segment: Segment) -> Json:
    return {
        "begins": segment.begins.value,
        "axis": segment.axis.value,
        "first_step": _number(segment.first_step),
        "last_step": _number(segment.last_step),
        "points": sum(len(series) for series in segment.series),
    }


def _series(series: Series, values: bool) -> Json:
    finite = series.finite
    bad = series.first_bad_step
    summary: dict[str, Json] = {
        "quantity": series.quantity.slug,
        "part": series.part,
        "layer": series.layer,
        "name": series.name,
        "axis": series.axis.value,
        "better": series.quantity.better.value,
        "points": len(series),
        "first_step": _number(series.steps[0]),
        "last_step": _number(series.steps[-1]),
        "first": _number(series.values[0]),
        "last": _number(series.values[-1]),
        "min": _number(finite.values.min()) if len(finite) else None,
        "min_step": _number(finite.steps[finite.values.argmin()]) if len(finite) else None,
        "max": _number(finite.values.max()) if len(finite) else None,
        "max_step": _number(finite.steps[finite.values.argmax()]) if len(finite) else None,
        "nonfinite": len(series) - len(finite),
        "first_nonfinite_step": None if bad is None else _number(bad),
    }
    return (
        {**summary, "steps": _numbers(series.steps), "values": _numbers(series.values)} if values else summary
    )


def _numbers(array: Floats) -> Json:
    return [_number(value) for value in array.tolist()]


def _scalar(value: str | int | float | bool) -> Json:
    return _number(value) if isinstance(value, float) else value


def _number(value: float) -> float | int | str:
    value = float(value)
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return int(value) if value == int(value) and abs(value) < 2**53 else value
