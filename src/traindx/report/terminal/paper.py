"""What the parts of a text report are printed on and laid out with."""

import io

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

_NARROWEST = 60
_HEADING = 15


def paper(width: int, colour: bool) -> Console:
    """A console of a given width that prints into memory, and takes nothing in a text for markup."""
    return Console(
        file=io.StringIO(),
        width=max(width, _NARROWEST),
        force_terminal=colour,
        color_system="standard" if colour else None,
        highlight=False,
        markup=False,
        emoji=False,
    )


def printed(console: Console) -> str:
    """What was printed on a paper, without blanks at the ends of lines."""
    stream = console.file
    assert isinstance(stream, io.StringIO)
    return "\n".join(line.rstrip() for line in stream.getvalue().splitlines()) + "\n"


def indented(what: Text | Table, by: int = 2) -> Padding:
    """Moved to the right."""
    return Padding(what, (0, 0, 0, by))


def section(console: Console, heading: str, *paragraphs: str | Text) -> None:
    """A heading and its paragraphs beside it, dotted if there are several; nothing without any."""
    if not paragraphs:
        return
    grid = Table.grid(padding=(0, 1))
    grid.add_column(width=_HEADING, style="dim")
    dotted = len(paragraphs) > 1
    if dotted:
        grid.add_column(width=1, style="dim")
    grid.add_column(overflow="fold", ratio=1)
    for index, paragraph in enumerate(paragraphs):
        body = paragraph if isinstance(paragraph, Text) else Text(paragraph)
        grid.add_row(Text("" if index else heading), *([Text("·")] if dotted else []), body)
    console.print(indented(grid))
