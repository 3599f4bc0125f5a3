"""What was read of a run: quantities, facts, events, and what was not understood."""

from collections.abc import Iterable

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from traindx.curves.facts import is_recording
from traindx.curves.timing import pace
from traindx.format import count, listed, number, printable, step
from traindx.readers.names.vocabulary import fact_of
from traindx.report.results.diagnosis import extent
from traindx.report.results.recording import told, told_event
from traindx.report.terminal.interior import EVERY, print_interior
from traindx.report.terminal.paper import indented
from traindx.report.text_plots import sparkline
from traindx.run import Better, Event, EventKind, Run, Series

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
