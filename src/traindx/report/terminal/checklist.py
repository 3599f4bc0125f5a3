"""A checklist before a long run: the verdict, and a line for each check."""

from itertools import groupby

from rich.console import Console
from rich.table import Table
from rich.text import Text

from traindx.exams.preflight.types import Checked, Checklist, Seen
from traindx.finding import Mark
from traindx.format import count, duration, printable
from traindx.report.terminal.paper import indented, paper, printed, section

_STYLES = {Mark.PASS: "green", Mark.WARN: "yellow", Mark.FAIL: "bold red", Mark.UNSEEN: "dim"}
_WORDS = {Mark.PASS: "pass", Mark.WARN: "warn", Mark.FAIL: "FAIL", Mark.UNSEEN: "-"}
_VERDICTS = {Mark.PASS: "READY", Mark.WARN: "LOOK FIRST", Mark.FAIL: "NOT READY", Mark.UNSEEN: "UNKNOWN"}
_LONG = 600


def checklist_text(found: Checklist, *, width: int = 80, colour: bool = False) -> str:
    """All checks as text of a given width."""
    console = paper(width, colour)
    console.print(Text.assemble("traindx · ", (printable(found.title), "bold"), " · before the long run"))
    console.print()
    verdict = Text.assemble((_VERDICTS[found.mark], _STYLES[found.mark]), "   ", printable(found.says, _LONG))
    console.print(verdict)
    console.print()
    for part, group in groupby(found.checked, key=lambda one: one.check.part):
        console.print(indented(Text(part.value, "dim")))
        _print(console, list(group))
    console.print()
    section(console, "legend", "- is what was not looked at, with the reason beside it")
    causes = tuple(dict.fromkeys(slug for one in found.checked for slug in one.causes))
    if causes:
        section(console, "read more", *[f"traindx explain {slug}" for slug in causes[:4]])
    section(
        console,
        "cost",
        f"{count(found.steps, 'step')} in {duration(found.seconds)}, over all runs of the program",
    )
    section(console, "notes", *[printable(note, _LONG) for note in found.notes])
    return printed(console)


def _print(console: Console, group: list[Checked]) -> None:
    grid = Table.grid(padding=(0, 1))
    grid.add_column(width=4)
    grid.add_column(width=max(15, *(len(one.check.slug) for one in group)))
    grid.add_column(overflow="fold", ratio=1)
    for one in group:
        mark = Text(_WORDS[one.mark], _STYLES[one.mark])
        grid.add_row(
            mark, Text(one.check.slug, _STYLES[one.mark] if one.mark.rank > 1 else ""), _line(one.seen[0])
        )
        for more in one.seen[1:]:
            grid.add_row(Text(_WORDS[more.mark], _STYLES[more.mark]), Text(""), _line(more))
    console.print(indented(grid, 3))


def _line(seen: Seen) -> Text:
    line = Text(printable(seen.says, _LONG), "dim" if seen.mark is Mark.UNSEEN else "")
    points = [", ".join(seen.causes), seen.place]
    told = " at ".join(printable(one, 200) for one in points if one)
    return line.append(f"  [{told}]", "dim") if told and seen.mark.rank > Mark.PASS.rank else line
