"""What was read, as text."""

from collections.abc import Iterable

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from traindx.curves.facts import is_recording
from traindx.curves.timing import pace
from traindx.format import count, listed, number, printable, step
from traindx.readers.names.vocabulary import fact_of
from traindx.report.results.layers import FIGURES, Row, anatomy, figure, label, shape, telling
from traindx.report.results.run import extent, idle, incidents, places, told, told_event, told_times, unusual
from traindx.report.terminal.paper import indented, section
from traindx.report.text_plots import sparkline
from traindx.run import Better, Event, EventKind, Quantity, Run, Series

EVERY = 1_000_000
_LONG = 600
_NAME = 30
_WIDE = 100
"""From this width on there is room for the kinds of layers."""


def print_incidents(console: Console, run: Run) -> None:
    """What happened, apart from the curves."""
    section(console, "happened", *(Text(printable(says, _LONG), style="red") for says in incidents(run)))


def print_interior(console: Console, run: Run, layers: int) -> None:
    """Where time went, what cannot learn, what is unusual, where the code is, as many layers as asked for."""
    section(console, "time", *filter(None, [told_times(run)]))
    section(console, "cannot learn", *idle(run, EVERY if layers == EVERY else 4))
    section(console, "unusual", *(printable(one, _LONG) for one in unusual(run)))
    code = " · ".join(printable(place, 120) for place in places(run))
    section(console, "code", *filter(None, [code]))
    _layers(console, run, layers)


def _layers(console: Console, run: Run, most: int) -> None:
    found = anatomy(run)
    shown = telling(found.rows, most)
    if not shown:
        return
    with_kind = console.width >= _WIDE
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), header_style="dim")
    table.add_column("layer", overflow="fold")
    for heading in ("kind", "shape") if with_kind else ("shape",):
        table.add_column(heading, no_wrap=True, style="dim")
    for quantity in found.columns:
        table.add_column(FIGURES[quantity], justify="right", no_wrap=True)
    for row in shown:
        table.add_row(*_cells(row, found.columns, with_kind))
    console.print(indented(table))
    hidden = len(found.rows) - len(shown)
    more = f"; the {len(shown)} that differ most, {hidden:,} more (--all lists them)" if hidden else ""
    console.print(indented(Text(f"{found.told}{more}", style="dim"), 3))
    console.print()


def _cells(row: Row, columns: list[Quantity], with_kind: bool) -> list[Text]:
    kind = [printable(row.layer.kind if row.layer else "", 24)] if with_kind else []
    words = [printable(label(row), _NAME), *kind, printable(shape(row), 20)]
    return [Text(word) for word in (*words, *(figure(row, quantity) for quantity in columns))]


_SHOWN_LAYERS = 4
_SHOWN_ROWS = 40


def print_reading(console: Console, run: Run, everything: bool) -> None:
    """The name of a run and all that was read of it."""
    console.print(Text(printable(run.name, 200), style="bold"))
    print_series(console, run, everything)
    if is_recording(run):
        print_interior(console, run, EVERY if everything else _SHOWN_ROWS)


def print_series(console: Console, run: Run, everything: bool) -> None:
    """All that was read of a run."""
    files = count(len(run.sources), "file")
    recorded = pace(run)
    far = told(recorded) if recorded else extent(run)
    console.print(indented(Text(f"{listed(list(run.formats))} · {files} · {far}")))
    if run.series:
        console.print(indented(_series_table(run, everything)))
    most = 10_000 if everything else 6
    _line(console, "segments", _segments(run) if len(run.segments) > 1 else [], most)
    _line(console, "facts", [f"{fact.slug} {printable(str(value))}" for fact, value in run.facts.items()], 99)
    _line(console, "settings", _other_settings(run), most)
    events = [_event(e) for e in run.events if e.kind is not EventKind.RESUMED]  # the segments tell
    _line(console, "events", events, most, sentences=True)
    _line(console, "notes", [printable(note, 300) for note in run.notes], most, sentences=True)
    unread = [f"{printable(u.name, 60)} ({count(u.count, 'value')})" for u in run.unread]
    _line(console, "unread", unread, most)
    console.print()


def _series_table(run: Run, everything: bool) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), header_style="dim")
    table.add_column("quantity", overflow="fold", min_width=22)
    for heading in ("points", "first", "last", "best"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("curve", no_wrap=True, min_width=12)
    shown = run.series if everything else _without_most_layers(run.series)
    for series in shown:
        table.add_row(
            _label(series, 200 if everything else 23),
            *_figures(series),
            Text(sparkline(series, 12), style="cyan"),
        )
    hidden = len(run.series) - len(shown)
    if hidden:
        table.add_row(Text(f"and {hidden} more by layer: --all shows them", style="dim"))
    return table


def _without_most_layers(series: Iterable[Series]) -> list[Series]:
    seen: dict[str, int] = {}
    shown: list[Series] = []
    for one in series:
        if one.layer:
            seen[one.quantity.slug] = seen.get(one.quantity.slug, 0) + 1
            if seen[one.quantity.slug] > _SHOWN_LAYERS:
                continue
        shown.append(one)
    return shown


def _label(series: Series, longest: int) -> Text:
    label = Text(series.quantity.slug)
    for detail in (series.part, series.layer):
        if detail and not series.quantity.slug.endswith(f"_{detail}"):
            label.append(f" {printable(detail, longest)}", style="dim")
    axis = series.axis.value
    return label.append("" if axis == "step" else f" by {axis}", style="dim")


def _figures(series: Series) -> list[Text]:
    first, last = float(series.values[0]), float(series.values[-1])
    bad = series.first_bad_step
    style = "red" if bad is not None else ""
    return [
        Text(f"{len(series):,}"),
        Text(number(first)),
        Text(number(last), style=style),
        Text(_best(series), style=style),
    ]


def _best(series: Series) -> str:
    finite = series.finite.values
    if series.quantity.better is Better.NEITHER or not len(finite):
        return ""
    return number(float(finite.min() if series.quantity.better is Better.LOWER else finite.max()))


def _segments(run: Run) -> list[str]:
    return [f"{s.begins.value} {step(s.first_step)}-{step(s.last_step)}" for s in run.segments]


def _other_settings(run: Run) -> list[str]:
    """The settings that are not among the facts."""
    others = [(name, value) for name, value in run.settings.items() if fact_of(name) is None]
    return [f"{printable(name, 40)}={printable(str(value), 40)}" for name, value in others]


def _event(event: Event) -> str:
    says = told_event(event)
    return printable(says if says.startswith(event.kind.value) else f"{event.kind.value}: {says}", 240)


def _line(console: Console, heading: str, items: list[str], most: int, *, sentences: bool = False) -> None:
    """A heading and its items: sentences below each other, anything else in a row."""
    if not items:
        return
    grid = Table.grid(padding=(0, 1))
    grid.add_column(width=9, style="dim")
    grid.add_column(overflow="fold", ratio=1)
    below = "\n".join(items[:most]) + (f"\nand {len(items) - most} more" if len(items) > most else "")
    grid.add_row(Text(heading), Text(below if sentences else listed(items, most)))
    console.print(indented(grid))
