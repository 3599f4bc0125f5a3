"""Runs side by side: a table, what goes with the outcome, speed, and where they part."""

from collections.abc import Sequence

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from traindx.comparison.types import Comparison, Entry
from traindx.format import count, listed, number, printable, step
from traindx.report.results.diagnosis import speed
from traindx.report.terminal.curve import name
from traindx.report.terminal.diagnosis import STYLES
from traindx.report.terminal.paper import section

_HEADINGS = ("best", "at", "final")
_GAP = 2
_EDGES = 2
_NAME = 28
_VALUE = 14


def print_comparison(console: Console, comparison: Comparison, everything: bool) -> None:
    """All that a comparison says."""
    measure = name(comparison.measure, comparison.part)
    better = comparison.measure.better.value
    runs = count(len(comparison.entries), "run")
    console.print(Text.assemble("traindx · ", (runs, "bold"), f" by {measure}, {better} is better"))
    shown = _settings_that_fit(console.width, comparison)
    console.print(_table(comparison, shown))
    hidden = [printable(one, 40) for one in comparison.differing if one not in shown]
    section(console, "also differ", *([listed(hidden, 99 if everything else 6)] if hidden else []))
    if everything and hidden:
        section(console, "", *(_settings(entry, comparison.differing) for entry in comparison.entries))
    section(console, "goes with it", *(printable(one.says, 600) for one in comparison.associations))
    section(console, "speed", *filter(None, [printable(speed(comparison), 600)]))
    most = len(comparison.partings) if everything else 6
    more = len(comparison.partings) - most
    partings = [printable(one.says, 600) for one in comparison.partings[:most]]
    section(console, "they part", *partings, *([f"and {more} more (--all lists them)"] if more > 0 else []))
    section(console, "notes", *(printable(note, 600) for note in comparison.notes))
    console.print()


def _table(comparison: Comparison, settings: Sequence[str]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, _GAP - 1, 0, 0), header_style="dim")
    table.add_column("run", overflow="fold", max_width=_NAME)
    for heading in _HEADINGS:
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    for setting in settings:
        table.add_column(printable(setting, _VALUE), justify="right", no_wrap=True)
    for entry in comparison.entries:
        table.add_row(
            Text(printable(entry.run, 60)),
            *map(Text, _figures(entry)),
            Text(entry.verdict.value, style=STYLES[entry.verdict]),
            *(Text(_setting(entry, one)) for one in settings),
        )
    return table


def _figures(entry: Entry) -> tuple[str, str, str]:
    if not entry.points:
        return "-", "-", "-"
    return number(entry.best), f"{entry.axis.value} {step(entry.best_at)}", number(entry.final)


def _setting(entry: Entry, setting: str) -> str:
    value = entry.settings.get(setting)
    if isinstance(value, float):
        return number(value)
    return "" if value is None else printable(str(value), _VALUE)


def _settings_that_fit(width: int, comparison: Comparison) -> list[str]:
    """The hyperparameters with room in the table, those that go with the outcome most before others."""
    entries = comparison.entries
    room = width - _EDGES - _width("run", [printable(entry.run, 60) for entry in entries], _NAME)
    room -= _width("verdict", [entry.verdict.value for entry in entries])
    for index, heading in enumerate(_HEADINGS):
        room -= _width(heading, [_figures(entry)[index] for entry in entries])
    weight = {one.name: abs(one.correlation) for one in comparison.associations}
    shown = []
    for setting in sorted(comparison.differing, key=lambda one: -weight.get(one, 0.0)):
        needed = _width(printable(setting, _VALUE), [_setting(entry, setting) for entry in entries])
        if needed <= room:
            shown.append(setting)
            room -= needed
    return shown


def _width(heading: str, cells: Sequence[str], most: int = 200) -> int:
    return min(most, max(map(cell_len, (heading, *cells)))) + _GAP


def _settings(entry: Entry, names: Sequence[str]) -> str:
    values = (f"{printable(one, 40)}={_setting(entry, one)}" for one in names if one in entry.settings)
    return f"{printable(entry.run, 60)}: {', '.join(values)}"
