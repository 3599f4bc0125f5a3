"""An exam as text: a line for each check, then what is wrong with what to do, the worst first."""

from rich.console import Console
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from traindx.exams.check import Checked
from traindx.exams.data_exam.types import Examination
from traindx.finding import Finding, Mark, Severity
from traindx.format import count, printable
from traindx.report.terminal.code import fitted
from traindx.report.terminal.paper import indented, paper, printed, section

_STYLES = {Mark.PASS: "green", Mark.WARN: "yellow", Mark.FAIL: "bold red", Mark.UNSEEN: "dim"}
_LONG = 600
_ROWS = 8
_BESIDE = 18
"""Columns that stand left of what a section says."""


def examination_text(examination: Examination, *, width: int = 80, colour: bool = False) -> str:
    """The exam as text of a given width."""
    console = paper(width, colour)
    _head(console, examination)
    console.print(_table(examination))
    for check in sorted(examination.checks, key=lambda one: -one.mark.rank):
        for fault in check.findings:
            _fault(console, check, fault)
    if examination.notes:
        console.print()
    section(console, "notes", *(printable(note, _LONG) for note in examination.notes))
    return printed(console)


def _head(console: Console, examination: Examination) -> None:
    console.print(Text.assemble("traindx · ", (printable(examination.subject, 200), "bold")))
    console.print(Text(printable(examination.about, _LONG)))
    console.print()
    asked = [check for check in examination.checks if check.mark is not Mark.UNSEEN]
    bad = [check for check in asked if check.mark in (Mark.WARN, Mark.FAIL)]
    verdict = examination.verdict
    told = (
        f"{len(bad)} of {count(len(asked), 'check')} found something"
        if bad
        else f"{count(len(asked), 'check')}"
    )
    console.print(Text.assemble((verdict.value.upper(), _STYLES[verdict]), f"   {told}"))
    console.print()


def _table(examination: Examination) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold", ratio=1)
    for check in examination.checks:
        mark = "-" if check.mark is Mark.UNSEEN else check.mark.value
        quiet = "dim" if check.mark is Mark.UNSEEN else ""
        table.add_row(
            Text(mark, style=_STYLES[check.mark]),
            Text(check.check.slug, style=quiet),
            Text(printable(_answer(check), _LONG), style=quiet),
        )
    return table


def _answer(check: Checked) -> str:
    """What stands beside the check in the table."""
    worst = max(check.findings, key=lambda fault: fault.degree.rank, default=None)
    return check.says if worst is None or check.mark is Mark.PASS else worst.says


def _fault(console: Console, check: Checked, fault: Finding) -> None:
    """What is wrong, what to do, and where; a remark in two lines."""
    console.print()
    style = _STYLES[check.mark] if fault.degree is not Severity.INFO else "dim"
    word = "remark" if fault.degree is Severity.INFO else fault.degree.value
    told = "" if fault.says == _answer(check) else f": {printable(fault.says, _LONG)}"
    console.print(Text.assemble((word, style), "  ", (check.check.slug, "bold"), told))
    section(console, "do", printable(fault.todo, _LONG))
    if fault.code:
        width = console.width - _BESIDE
        code = fitted(fault.code, width)
        shown = Syntax(code, "python", theme="ansi_light", background_color="default").highlight(code)
        shown.rstrip()
        console.print(indented(shown if console.color_system else Text(code), _BESIDE))
    if fault.samples:
        rows = [f"{row.name or row.index}" for row in fault.samples[:_ROWS]]
        more = (
            f" and {len(fault.samples) - _ROWS:,} more (--export lists them)"
            if len(fault.samples) > _ROWS
            else ""
        )
        section(console, "rows", printable(f"{fault.samples[0].part} {', '.join(rows)}{more}", _LONG))
    if fault.cause and fault.degree is not Severity.INFO:
        section(console, "leads to", f"{fault.cause}: traindx explain {fault.cause}")
