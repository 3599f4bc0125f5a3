"""What all exams of a model print: how it ended, what is wrong, what was guessed."""

from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from traindx.problem import Problem
from traindx.problem_advice import FAIL, PASS, WARN, advice, is_known, mark
from traindx.terminal.paper import indented, section
from traindx.wording import printable

_STYLES = {PASS: "bold green", WARN: "bold yellow", FAIL: "bold red"}
_LONG = 1000


def print_verdict(console: Console, title: str, problems: tuple[Problem, ...], fine: str) -> None:
    """A line on what was examined, the mark, and each problem with what to do about it."""
    console.print(Text.assemble("traindx · ", (printable(title, 300), "bold")))
    console.print()
    found = mark(problems)
    if not problems:
        console.print(Text.assemble((found.upper(), _STYLES[found]), f"   {fine}"))
    for one in problems:
        degree = FAIL if one.is_error else WARN if mark((one,)) == WARN else "note"
        style = _STYLES.get(degree, "bold")
        console.print(Text.assemble((f"{degree.upper():5}", style), f"  {one.cause}"))
        console.print(indented(Text(printable(one.says, _LONG)), 7))
        page = f" (traindx explain {one.cause})" if is_known(one) else ""
        if todo := advice(one):
            console.print(indented(Text(f"do: {printable(todo, _LONG)}{page}", style="dim"), 7))


def print_notes(console: Console, notes: Sequence[str]) -> None:
    """What was guessed, left out or is worth knowing."""
    section(console, "notes", *(printable(one, _LONG) for one in notes))


def table_of(headings: Sequence[tuple[str, bool]]) -> Table:
    """A table with headings; those of numbers stand to the right."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), header_style="dim")
    for heading, is_number in headings:
        table.add_column(
            heading, justify="right" if is_number else "left", no_wrap=is_number, overflow="fold"
        )
    return table


def print_table(console: Console, table: Table, told: str, hidden: int) -> None:
    """The table, what its columns are, and how many rows are not shown."""
    console.print(indented(table))
    more = f"; {hidden:,} more rows (--all lists them)" if hidden else ""
    console.print(indented(Text(f"{told}{more}", style="dim")))
    console.print()


def chosen(places: Sequence[int], total: int, most: int) -> list[int]:
    """The rows to show: those that are named, and others spread evenly over the rest, in order."""
    if total <= most:
        return list(range(total))
    kept = dict.fromkeys([0, total - 1, *places[: most // 2]])
    left = most - len(kept)
    kept |= dict.fromkeys(round(number * (total - 1) / max(left - 1, 1)) for number in range(left))
    return sorted(kept)
