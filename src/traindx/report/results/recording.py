"""What a run holds: curves, facts, settings, what was skipped; of a recording also layers, time and code."""

from traindx.curves.facts import is_recording
from traindx.format import count, number, printable, step
from traindx.readers.names.vocabulary import fact_of
from traindx.report.blocks import Block, Bullets, Cell, Entry, Paragraph, Section, Table, Tone, table
from traindx.report.results.layers import FIGURES, Row, anatomy, figure, label, shape, telling
from traindx.report.results.run import idle, incidents, places, told_event, told_times, unusual
from traindx.run import Better, Event, EventKind, Quantity, Run, Series

_LAYERS = 40
"""Layers that are listed: those that differ most from the others."""
_SERIES = 400
"""Series that are listed; JSON holds all."""


def recording_sections(run: Run) -> tuple[Section, ...]:
    """All of it; a section without a block has nothing to show."""
    return (
        Section("Events", _bullets(incidents(run)), is_open=True),
        _layers(run),
        _program(run),
        Section("Recorded quantities", (series_table(run),) if run.series else ()),
        *remainder(run),
    )


def _program(run: Run) -> Section:
    """Where time goes, what cannot learn, what is unusual, and where the code is."""
    if not is_recording(run):
        return Section("Program", ())
    time: list[Block] = [Entry("TIME", told_times(run))] if told_times(run) else []
    stuck: list[Block] = [Entry("" if index else "STUCK", one) for index, one in enumerate(idle(run))]
    odd: list[Block] = [Entry("" if index else "UNUSUAL", one) for index, one in enumerate(unusual(run))]
    code: list[Block] = [Entry("CODE", " · ".join(places(run)))] if places(run) else []
    return Section("Program", (*time, *stuck, *odd, *code), is_open=True)


def _layers(run: Run) -> Section:
    found = anatomy(run)
    shown = telling(found.rows, _LAYERS)
    if not shown:
        return Section("Layers", ())
    titles = ", ".join(["layer", "kind", "shape", *(f"{FIGURES[one]}>" for one in found.columns)])
    hidden = len(found.rows) - len(shown)
    more = f"; the {len(shown)} that differ most of {len(found.rows):,}" if hidden else ""
    rows = [_layer(row, found.columns) for row in shown]
    return Section("Layers", (table(titles, rows), Paragraph(f"{found.told}{more}", Tone.QUIET)))


def _layer(row: Row, columns: list[Quantity]) -> tuple[str | Cell, ...]:
    kind = row.layer.kind if row.layer else ""
    return (
        label(row),
        Cell(kind, Tone.QUIET),
        Cell(shape(row), Tone.QUIET),
        *(figure(row, q) for q in columns),
    )


def series_table(run: Run, *, most: int = _SERIES) -> Table:
    """Every series with its figures and a small curve; what holds of the whole model comes first."""
    ranked = sorted(run.series, key=lambda series: bool(series.layer))
    rows = [_series(series) for series in ranked[:most]]
    if len(ranked) > most:
        where = "--all lists them" if most < _SERIES else "--json lists all"
        rows.append((f"{len(ranked) - most:,} more: {where}", *[""] * 5))
    return table("quantity, points>, first>, last>, best>, curve", rows)


def _series(series: Series) -> tuple[str | Cell, ...]:
    details = [
        one for one in (series.part, series.layer) if one and not series.quantity.slug.endswith(f"_{one}")
    ]
    axis = [] if series.axis.value == "step" else [f"by {series.axis.value}"]
    name = " ".join([series.quantity.slug, *(printable(one, 60) for one in details), *axis])
    tone = Tone.PLAIN if series.first_bad_step is None else Tone.BAD
    ends = [number(float(series.values[index])) if len(series) else "" for index in (0, -1)]
    curve = Cell("", curve=series) if len(series) else ""
    return (name, f"{len(series):,}", ends[0], Cell(ends[1], tone), _best(series), curve)


def _best(series: Series) -> str:
    finite = series.finite.values
    if series.quantity.better is Better.NEITHER or not len(finite):
        return ""
    return number(float(finite.min() if series.quantity.better is Better.LOWER else finite.max()))


def remainder(run: Run) -> tuple[Section, ...]:
    """Segments, facts, settings, events, notes, and what was skipped."""
    segments = [f"{one.begins.value} {step(one.first_step)}-{step(one.last_step)}" for one in run.segments]
    events = [_event(event) for event in run.events if event.kind is not EventKind.RESUMED]
    settings = [f"{name} = {value}" for name, value in run.settings.items() if fact_of(name) is None]
    lists = {
        "Segments": segments if len(segments) > 1 else [],
        "Facts": [f"{fact.slug} = {value}" for fact, value in run.facts.items()],
        "Settings": settings,
        "Log of events": events,
        "Notes": list(run.notes),
        "Skipped": [f"{one.name}: {count(one.count, 'value')}, {one.why}" for one in run.unread],
        "Files": list(run.sources),
    }
    return tuple(Section(title, _bullets(items)) for title, items in lists.items())


def _event(event: Event) -> str:
    says = told_event(event)
    return says if says.startswith(event.kind.value) else f"{event.kind.value}: {says}"


def _bullets(items: list[str]) -> tuple[Block, ...]:
    return (Bullets(tuple(printable(item, 400) for item in items)),) if items else ()
