"""What only a recording shows: what happened, where time went, what cannot learn, the code, the layers."""

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from traindx.format import printable
from traindx.report.results.layers import FIGURES, Row, anatomy, figure, label, shape, telling
from traindx.report.results.recording import idle, incidents, places, told_times, unusual
from traindx.report.terminal.paper import indented, section
from traindx.run import Quantity, Run

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
