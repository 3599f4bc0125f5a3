"""Runs side by side."""

from traindx.comparison.types import Comparison, Entry
from traindx.report.documents.value import Document, Json, number, optional, scalar


def comparison_document(comparison: Comparison) -> Document:
    """The runs, the best first, and how they differ."""
    return {
        "measure": comparison.measure.slug,
        "part": comparison.part,
        "better": comparison.measure.better.value,
        "target": optional(comparison.target),
        "noise": optional(comparison.noise),
        "entries": [_entry(entry) for entry in comparison.entries],
        "differing": list(comparison.differing),
        "associations": [
            {
                "name": a.name,
                "correlation": number(a.correlation),
                "chance": optional(a.chance),
                "runs": a.runs,
                "says": a.says,
            }
            for a in comparison.associations
        ],
        "partings": [
            {
                "first": parting.first,
                "second": parting.second,
                "step": optional(parting.step),
                "axis": parting.axis.value,
                "says": parting.says,
            }
            for parting in comparison.partings
        ],
        "notes": list(comparison.notes),
    }


def _entry(entry: Entry) -> Json:
    return {
        "run": entry.run,
        "best": number(entry.best),
        "best_at": number(entry.best_at),
        "final": number(entry.final),
        "axis": entry.axis.value,
        "points": entry.points,
        "reached_at": optional(entry.reached_at),
        "verdict": entry.verdict.value,
        "says": entry.says,
        "settings": {name: scalar(value) for name, value in entry.settings.items()},
    }
