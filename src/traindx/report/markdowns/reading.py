"""What was read of a run."""

from traindx.format import count, number, step
from traindx.report.markdowns.interior import interior, recorded
from traindx.report.markdowns.literal import escape
from traindx.report.results.recording import told_event
from traindx.report.text_plots import sparkline
from traindx.run import Run, Series


def reading(run: Run) -> list[str]:
    """A run's name and all that was read of it."""
    return [f"## {escape(run.name, 200)}", "", *recorded(run), *series_and_facts(run), *interior(run)]


def series_and_facts(run: Run) -> list[str]:
    """All that was read of a run."""
    lines = [f"Read from {', '.join(escape(s, 300) for s in run.sources)} ({', '.join(run.formats)})."]
    if run.series:
        lines += [
            "",
            "| quantity | points | steps | first | last | min | max | curve |",
            "|---|--:|---|--:|--:|--:|--:|---|",
        ]
        lines += [_row(series) for series in run.series]
    sections = {
        "Segments": [
            f"{s.begins.value}: {s.axis.value} {step(s.first_step)} to {step(s.last_step)}"
            for s in run.segments
        ]
        if len(run.segments) > 1
        else [],
        "Facts": [f"{fact.slug}: {escape(str(value))}" for fact, value in run.facts.items()],
        "Events": [f"{e.kind.value}: {escape(told_event(e), 300)}" for e in run.events],
        "Notes": [escape(note, 300) for note in run.notes],
        "Unread": [f"{escape(u.name)}: {count(u.count, 'value')}, {escape(u.why)}" for u in run.unread],
    }
    for heading, items in sections.items():
        if items:
            lines += ["", f"### {heading}", "", *(f"- {item}" for item in items)]
    return [*lines, ""]


def _row(series: Series) -> str:
    label = " ".join(escape(word) for word in (series.quantity.slug, series.part, series.layer) if word)
    finite = series.finite.values
    ends = f"{step(series.steps[0])} to {step(series.steps[-1])}"
    if series.axis.value != "step":
        ends += f" ({series.axis.value}s)"
    cells = [
        label,
        f"{len(series):,}",
        ends,
        number(float(series.values[0])),
        number(float(series.values[-1])),
        number(float(finite.min())) if len(finite) else "",
        number(float(finite.max())) if len(finite) else "",
        sparkline(series),
    ]
    return f"| {' | '.join(cells)} |"
