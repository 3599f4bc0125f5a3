"""What every text report is written with: paper, code, curves and overviews."""

import io
import textwrap
from collections.abc import Iterator

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from traindx.curves.series import shares
from traindx.finding import Evidence
from traindx.format import printable, step
from traindx.report.results.diagnosis import place
from traindx.report.results.run import main_series, share_at
from traindx.report.text_plots import (
    FIRST_STROKE,
    NON_FINITE,
    SECOND_LETTER,
    Drawn,
    Ink,
    SmallPlot,
    small_plot,
)
from traindx.run import Quantity, Run, Series

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


def cut(lines: list[str], everything: bool, shown: int = 3) -> list[str]:
    """The first lines of a list and how many follow."""
    if everything or len(lines) <= shown + 1:
        return lines
    return [*lines[:shown], f"and {len(lines) - shown} more (--all lists them)"]


def print_plot(console: Console, plot: SmallPlot, legend: Text) -> None:
    """A legend and the plot below it."""
    console.print(indented(legend.append("   logarithmic scale" if plot.logarithmic else "", "dim")))
    for row in plot.rows:
        console.print(indented(Text.assemble(*((piece.text, CURVE_STYLES[piece.ink]) for piece in row))))


def fitted(code: str, width: int) -> str:
    """Lines that fit, but for long quotes: a comment moves above its line, a statement goes on below."""
    return "\n".join(part for line in code.splitlines() for part in _fitted_line(line, width))


def _fitted_line(line: str, width: int) -> list[str]:
    if len(line) <= width:
        return [line]
    indent = line[: len(line) - len(line.lstrip())]
    if line.lstrip().startswith("#"):
        return textwrap.wrap(line, width, subsequent_indent=f"{indent}# ", break_on_hyphens=False)
    statement, behind, comment = line.partition("  # ")
    if behind:
        return [*_fitted_line(f"{indent}# {comment}", width), *_fitted_line(statement, width)]
    return _broken(line, f"{indent}        ", width, open_before=0)


def _broken(line: str, indent: str, width: int, open_before: int) -> list[str]:
    """A statement over several lines, broken inside brackets if possible and with a backslash if not."""
    places = [place for place in _breaks(line) if line[:place].strip() and place <= width - len(" \\")]
    if len(line) <= width or not places:
        return [line]
    bracketed = [place for place in places if open_before + _opened(line[:place]) > 0]
    place = max(bracketed or places)
    head = line[:place] if bracketed else f"{line[:place]} \\"
    rest = f"{indent}{line[place + 1 :]}"
    return [head, *_broken(rest, indent, width, open_before + _opened(head))]


def _breaks(line: str) -> Iterator[int]:
    """The blanks of a line that stand in no text of quotes."""
    quote = ""
    for index, character in enumerate(line):
        if character in "\"'":
            quote = "" if quote == character else quote or character
        elif character == " " and not quote:
            yield index


def _opened(line: str) -> int:
    """How many brackets a piece of a line opens, less those it closes."""
    return sum(line.count(one) for one in "([{") - sum(line.count(one) for one in ")]}")


CURVE_STYLES = {
    Ink.FRAME: "dim",
    Ink.FIRST: "cyan",
    Ink.SECOND: "magenta",
    Ink.BAD: "bold red",
    Ink.MARK: "bold",
}
_WIDEST = 96
_AROUND = 18
"""Columns beside the plot: the indent, the longest number and some air."""


def print_curve(console: Console, run: Run, evidence: Evidence | None) -> None:
    """The main curve of a run, the validation curve with it, and where the evidence begins."""
    drawn = [series for series in main_series(run) if len(series) > 1]
    if not drawn:
        return
    first = drawn[0]
    plot = small_plot(
        [Drawn(shares(run, series), series.values) for series in drawn],
        width=min(console.width - _AROUND, _WIDEST),
        ends=(f"{first.axis.value} {step(first.steps[0])}", step(first.steps[-1])),
        mark=None if evidence is None else _stretch(run, evidence),
        mark_label="" if evidence is None else place(evidence),
    )
    if plot is None:
        return
    print_plot(console, plot, _legend(drawn))
    console.print()


def _stretch(run: Run, evidence: Evidence) -> tuple[float, float] | None:
    first, last = (share_at(run, evidence.axis, position) for position in evidence.steps)
    return None if first is None or last is None else (first, last)


def _legend(drawn: list[Series]) -> Text:
    text = Text.assemble(
        (f"{FIRST_STROKE} {name(drawn[0].quantity, drawn[0].part)}", CURVE_STYLES[Ink.FIRST])
    )
    for series in drawn[1:]:
        text.append(f"   {SECOND_LETTER} {name(series.quantity, series.part)}", CURVE_STYLES[Ink.SECOND])
    if any(series.first_bad_step is not None for series in drawn):
        text.append(f"   {NON_FINITE} not finite", CURVE_STYLES[Ink.BAD])
    return text


def name(quantity: Quantity, part: str) -> str:
    """A quantity and which of several it is."""
    return f"{quantity.slug} {printable(part, 30)}".rstrip()
