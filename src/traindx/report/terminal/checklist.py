"""A checklist before a long run: the verdict, and a line for each check."""

from itertools import groupby

from rich.console import Console
from rich.table import Table
from rich.text import Text

from traindx.exams.check import Checked, is_bad
from traindx.exams.preflight.types import Checklist
from traindx.finding import Finding, Mark
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
        console.print(indented(Text(part, "dim")))
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
        lines = [(finding.mark, _line(finding)) for finding in one.findings]
        if one.says:
            style = "" if one.outcome.is_told else "dim"
            lines.append((one.remark, Text(printable(one.says, _LONG), style)))
        slug = Text(one.check.slug, _STYLES[one.mark] if one.mark.rank > Mark.PASS.rank else "")
        for mark, line in lines:
            grid.add_row(Text(_WORDS[mark], _STYLES[mark]), slug, line)
            slug = Text("")
    console.print(indented(grid, 3))


def _line(finding: Finding) -> Text:
    line = Text(printable(finding.says, _LONG))
    points = [", ".join(finding.causes), finding.location]
    told = " at ".join(printable(one, 200) for one in points if one)
    return line.append(f"  [{told}]", "dim") if told and is_bad(finding) else line
