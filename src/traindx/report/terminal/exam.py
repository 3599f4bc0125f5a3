"""An exam of a model on the terminal: how it ended, what is wrong, the table, what was guessed."""

from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from traindx.format import printable
from traindx.report.problem_advice import FAIL, PASS, WARN, advice, degree, is_known, mark
from traindx.report.sheets.sheet import Sheet
from traindx.report.terminal.paper import indented, paper, printed, section

_STYLES = {PASS: "bold green", WARN: "bold yellow", FAIL: "bold red"}
_LONG = 1000
_ROWS = 40
_WIDE = 110
"""From this width on there is room for all columns."""


def exam_text(sheet: Sheet, *, width: int, colour: bool, everything: bool) -> str:
    """The sheet as text of a given width."""
    console = paper(width, colour)
    _print_verdict(console, sheet)
    _print_table(console, sheet, wide=width >= _WIDE, most=len(sheet.rows) if everything else _ROWS)
    for heading, lines in sheet.sections:
        section(console, heading, *lines)
    section(console, "notes", *(printable(one, _LONG) for one in sheet.notes))
    return printed(console)


def _print_verdict(console: Console, sheet: Sheet) -> None:
    """A line on what was examined, the mark, and each problem with what to do about it."""
    console.print(Text.assemble("traindx · ", (printable(sheet.title, 300), "bold")))
    console.print()
    if not sheet.problems:
        found = mark(sheet.problems)
        console.print(Text.assemble((found.upper(), _STYLES[found]), f"   {sheet.fine}"))
    for one in sheet.problems:
        word = degree(one)
        console.print(Text.assemble((f"{word.upper():5}", _STYLES.get(word, "bold")), f"  {one.cause}"))
        console.print(indented(Text(printable(one.says, _LONG)), 7))
        page = f" (traindx explain {one.cause})" if is_known(one) else ""
        if todo := advice(one):
            console.print(indented(Text(f"do: {printable(todo, _LONG)}{page}", style="dim"), 7))


def _print_table(console: Console, sheet: Sheet, *, wide: bool, most: int) -> None:
    """The table, what its columns are, and how many rows are not shown."""
    kept = [place for place, column in enumerate(sheet.columns) if wide or not column.is_extra]
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), header_style="dim")
    for column in (sheet.columns[place] for place in kept):
        table.add_column(
            column.heading,
            justify="right" if column.is_number else "left",
            no_wrap=column.is_number,
            overflow="fold",
        )
    shown = chosen(sheet.named, len(sheet.rows), most)
    for row in (sheet.rows[place] for place in shown):
        table.add_row(*(Text(row[place]) for place in kept))
    console.print(indented(table))
    hidden = len(sheet.rows) - len(shown)
    more = f"; {hidden:,} more rows (--all lists them)" if hidden else ""
    console.print(indented(Text(f"{sheet.told}{more}", style="dim")))
    console.print()


def chosen(places: Sequence[int], total: int, most: int) -> list[int]:
    """The rows to show: those that are named, and others spread evenly over the rest, in order."""
    if total <= most:
        return list(range(total))
    kept = dict.fromkeys([0, total - 1, *places[: most // 2]])
    left = most - len(kept)
    kept |= dict.fromkeys(round(number * (total - 1) / max(left - 1, 1)) for number in range(left))
    return sorted(kept)
