"""What only a recording knows of a run."""

from traindx.curves.timing import pace, times
from traindx.report.documents.value import Document, Json, number, optional
from traindx.report.results.layers import FIGURES, Row, anatomy
from traindx.run import Run


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
