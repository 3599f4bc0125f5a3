"""Runs as Markdown: what was read, what a recording shows, how several compare."""

import re

from traindx.cause import Prescription
from traindx.comparison.types import Comparison, Entry
from traindx.curves.facts import is_recording
from traindx.curves.timing import pace
from traindx.format import count, number, printable, step
from traindx.report.results.layers import FIGURES, anatomy, figure, label, shape
from traindx.report.results.run import idle, places, speed, told, told_event, told_times, unusual
from traindx.report.text_plots import sparkline
from traindx.run import Run, Series

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>()#+!|~&-])")
_INLINE = re.compile(r"([\\`*\[\]<>|~&]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9]))")
_BLOCK = re.compile(r"^(\s*)([#+=-])")
_NUMBERED = re.compile(r"^(\s*\d+)([.)])(?=\s|$)")
_LONG = 1000


def escape(text: str, limit: int = 120) -> str:
    """A name from a log, every special character marked as literal."""
    return _NUMBERED.sub(r"\1\\\2", _SPECIAL.sub(r"\\\1", printable(text, limit)))


def prose(text: str) -> str:
    """A sentence that may hold names from a log, marked only where markup could begin, to stay readable."""
    inline = _INLINE.sub(r"\\\1", printable(text, _LONG))
    return _NUMBERED.sub(r"\1\\\2", _BLOCK.sub(r"\1\\\2", inline))


def ended(text: str) -> str:
    """A sentence with a full stop, whether it had one or not."""
    return text if text.endswith((".", "?")) else f"{text}."


def table(headings: list[str], rows: list[list[str]]) -> list[str]:
    """A table of cells that are Markdown already; a heading that ends with ":" is set to the right."""
    ruler = ["--:" if heading.endswith(":") else "---" for heading in headings]
    shown = [heading.removesuffix(":") for heading in headings]
    return [f"| {' | '.join(cells)} |" for cells in (shown, ruler, *rows)]


def bullets(items: list[str]) -> list[str]:
    """A list of items that are Markdown already."""
    return [f"- {item}" for item in items]


def chapter(heading: str, lines: list[str]) -> list[str]:
    """A heading of the third level and what stands below it; nothing without lines."""
    return [f"### {heading}", "", *lines, ""] if lines else []


def fenced(language: str, text: str) -> list[str]:
    """Lines as they stand, in a fence that nothing in them ends."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    lines = [printable(line.expandtabs(4), _LONG) for line in text.strip("\n").split("\n")]
    return [f"{fence}{language}", *lines, fence, ""]


def listings(fix: Prescription) -> list[str]:
    """The code before and after, as far as the fix shows it."""
    shown = [("Before:", fix.before), ("After:" if fix.before else "", fix.code)]
    lines = []
    for heading, code in shown:
        if code:
            lines += [*([heading, ""] if heading else []), *fenced("python", code)]
    return lines


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


def compared(comparison: Comparison) -> list[str]:
    """The table of runs, what goes with the outcome, speed, and where the runs part."""
    measure = " ".join(escape(word) for word in (comparison.measure.slug, comparison.part) if word)
    better = comparison.measure.better.value
    settings = [f"{escape(name, 60)}:" for name in comparison.differing]
    headings = ["run", "best:", "at", "final:", "verdict", *settings]
    rows = [_run_row(entry, comparison.differing) for entry in comparison.entries]
    lines = [f"{count(len(rows), 'run')} by {measure}, {better} is better, the best first.", ""]
    lines += [*table(headings, rows), ""]
    associations = [prose(one.says) for one in comparison.associations]
    lines += chapter("What goes with the outcome", bullets(associations))
    lines += chapter("Speed", bullets([prose(line) for line in [speed(comparison)] if line]))
    lines += chapter("Where runs part", bullets([prose(one.says) for one in comparison.partings]))
    return lines + chapter("Notes", bullets([prose(note) for note in comparison.notes]))


def _run_row(entry: Entry, names: tuple[str, ...]) -> list[str]:
    at = f"{entry.axis.value} {step(entry.best_at)}"
    values = [number(entry.best), at, number(entry.final)] if entry.points else ["", "", ""]
    figures = [escape(entry.run, 60), *values, entry.verdict.value]
    return figures + [_setting(entry, name) for name in names]


def _setting(entry: Entry, name: str) -> str:
    value = entry.settings.get(name)
    if isinstance(value, float):
        return number(value)
    return "" if value is None else escape(str(value), 60)
