"""What only a recording shows: where time went, what cannot learn, the code, the layers."""

from traindx.curves.facts import is_recording
from traindx.curves.timing import pace
from traindx.report.markdowns.literal import bullets, chapter, escape, prose, table
from traindx.report.results.layers import FIGURES, anatomy, figure, label, shape
from traindx.report.results.recording import idle, places, told, told_times, unusual
from traindx.run import Run


def recorded(run: Run) -> list[str]:
    """How far a recording goes and what it cost, as a line of its own; nothing for a log."""
    found = pace(run)
    return [f"{told(found)}.", ""] if found else []


def interior(run: Run) -> list[str]:
    """The chapters on the inside of a training; none for a log."""
    if not is_recording(run):
        return []
    told = [line for line in [told_times(run), *idle(run, len(run.model)), *unusual(run)] if line]
    code = [f"where the code is: {', '.join(places(run))}"] if places(run) else []
    lines = chapter(
        "Inside the training", bullets([prose(f"{one[:1].upper()}{one[1:]}.") for one in told + code])
    )
    return lines + _layers(run)


def _layers(run: Run) -> list[str]:
    found = anatomy(run)
    if not found.rows:
        return []
    headings = ["layer", "kind", "shape", *(f"{FIGURES[quantity]}:" for quantity in found.columns)]
    rows = [
        [
            escape(label(row), 80),
            escape(row.layer.kind if row.layer else ""),
            shape(row),
            *(figure(row, quantity) for quantity in found.columns),
        ]
        for row in found.rows
    ]
    return chapter("Layers", [f"{found.told[:1].upper()}{found.told[1:]}.", "", *table(headings, rows)])
